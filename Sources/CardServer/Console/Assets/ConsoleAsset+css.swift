extension ConsoleAsset {
    static let css = #"""
        :root { color-scheme: light dark; --ground: #f6f7f9; --paper: #fff; --ink: #1b2430; --faint: #566375; --line: #d5dae1;
          --accent: #0b5cad; --good: #1c6b37; --warn: #8a5300; --bad: #b3261e; --mark: #fff4d6; }
        @media (prefers-color-scheme: dark) { :root { --ground: #12161c; --paper: #1b212a; --ink: #e6eaf0; --faint: #a3afbf;
          --line: #37414f; --accent: #7db8f5; --good: #79cf95; --warn: #f0b75e; --bad: #ff9a92; --mark: #3d3213; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--ground); color: var(--ink);
          font: 16px/1.5 system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; }
        header { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center; padding: .6rem 1.25rem;
          background: var(--paper); border-bottom: 1px solid var(--line); }
        nav { display: flex; flex-wrap: wrap; gap: .25rem; flex: 1; }
        nav a { padding: .35rem .7rem; border-radius: .4rem; text-decoration: none; color: var(--ink); }
        nav a:hover { background: var(--ground); }
        nav a[aria-current] { background: var(--accent); color: var(--paper); }
        header form { display: flex; gap: .5rem; align-items: center; }
        main { max-width: 76rem; margin: 0 auto; padding: 1rem 1.25rem 4rem; }
        h1 { font-size: 1.6rem; margin: .75rem 0 1rem; overflow-wrap: anywhere; }
        h2 { font-size: 1.1rem; margin: 1.75rem 0 .6rem; }
        a { color: var(--accent); }
        code { font: .9em ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
        .faint, .who { color: var(--faint); }
        .quiet, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
        .skip:focus { position: absolute; top: .25rem; left: .25rem; padding: .5rem 1rem; background: var(--paper); }
        .tools { display: flex; flex-wrap: wrap; gap: .25rem 1rem; color: var(--faint); }
        .tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .75rem; }
        .tile { display: flex; flex-direction: column; padding: .8rem 1rem; background: var(--paper); color: var(--ink);
          border: 1px solid var(--line); border-left: .3rem solid var(--faint); border-radius: .5rem; text-decoration: none; }
        .tile:hover { border-color: var(--accent); }
        .tile strong { font-size: 1.7rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
        .small.tile strong { font-size: 1.2rem; }
        .tile.decide, .tile.held { border-left-color: var(--warn); }
        .tile.failed, .tile.retake, .tile.rejected { border-left-color: var(--bad); }
        .tile.complete, .tile.delivered { border-left-color: var(--good); }
        .scroll { overflow-x: auto; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; }
        table { border-collapse: collapse; width: 100%; }
        th, td { text-align: left; padding: .5rem .8rem; border-bottom: 1px solid var(--line); vertical-align: top; font-weight: normal; }
        thead th { color: var(--faint); white-space: nowrap; }
        tbody tr:last-child > * { border-bottom: 0; }
        tbody tr:hover { background: var(--ground); }
        time { white-space: nowrap; font-variant-numeric: tabular-nums; }
        tbody th a, tbody td > a { white-space: nowrap; }
        td code { overflow-wrap: break-word; }
        .state { padding: .05rem .5rem; border-radius: 1rem; border: 1px solid currentColor; white-space: nowrap; color: var(--faint); }
        .state.decide, .state.held { color: var(--warn); }
        .state.failed, .state.retake, .state.rejected { color: var(--bad); }
        .state.complete, .state.delivered { color: var(--good); }
        .facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: .1rem 1.5rem; margin: 0;
          padding: .6rem 1rem; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; }
        .scroll + .facts { margin-top: .75rem; }
        .facts div { padding: .35rem 0; }
        dt { color: var(--faint); font-size: .9rem; }
        dd { margin: 0; overflow-wrap: anywhere; }
        .message, .trouble, .outcome { padding: .7rem 1rem; border-left: .3rem solid var(--warn); background: var(--mark); border-radius: .3rem; }
        .trouble.critical { border-left-color: var(--bad); }
        .outcome { border-left-color: var(--accent); outline-offset: 2px; }
        .outcome ul { margin: 0; padding-left: 1.2rem; }
        form.filters { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin-bottom: 1rem; }
        label { display: flex; flex-direction: column; gap: .2rem; color: var(--faint); font-size: .9rem; }
        input, select, textarea, button { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--faint);
          border-radius: .4rem; padding: .4rem .7rem; min-height: 2.4rem; max-width: 100%; }
        button { cursor: pointer; }
        button.main { background: var(--accent); border-color: var(--accent); color: var(--paper); }
        header button { min-height: 2rem; padding: .2rem .6rem; border-color: var(--line); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .sign-in { max-width: 28rem; display: flex; flex-direction: column; gap: .6rem; }
        .sign-in button { align-self: start; }
        .hidden-image { display: grid; place-items: center; width: 100%; max-width: 30rem; aspect-ratio: 1.586; color: var(--faint);
          background: repeating-linear-gradient(45deg, var(--line) 0 1px, var(--paper) 1px 12px); border: 1px solid var(--line); border-radius: .6rem; }
        .hidden-image p { background: var(--paper); padding: .2rem .8rem; border-radius: .3rem; }
        .spans { display: flex; gap: .25rem; }
        .spans a { padding: .25rem .8rem; border: 1px solid var(--line); border-radius: .4rem; text-decoration: none; background: var(--paper); }
        .spans a[aria-current] { background: var(--accent); color: var(--paper); }
        .chart { margin: 0 0 1rem; padding: .8rem 1rem; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; }
        .legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .5rem 0; padding: 0; list-style: none; }
        .legend li { display: flex; align-items: center; gap: .4rem; }
        .chart > svg { width: 100%; height: auto; max-width: 60rem; }
        .chart text { fill: currentColor; font-size: 12px; }
        .chart details { overflow-x: auto; }
        .intake { display: grid; gap: .75rem; max-width: 34rem; }
        .intake button { justify-self: start; }
        .cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: 1.25rem; align-items: start; }
        article { padding: .25rem 1rem 1rem; background: var(--paper); border: 1px solid var(--line); border-radius: .6rem; min-width: 0; }
        article h2 { display: flex; gap: .6rem; flex-wrap: wrap; margin: .6rem 0; }
        article h2 a { font-weight: normal; font-size: .9rem; }
        article h2 a:last-child { margin-left: auto; }
        [data-focus]:not(input):focus-visible { outline: none; }
        article .facts { border: 0; padding: 0; }
        .undo { display: flex; gap: 1rem; align-items: center; flex-wrap: wrap; padding: .5rem 1rem; margin-bottom: .75rem; background: var(--mark); border-radius: .4rem; }
        button.bad { border-color: var(--bad); color: var(--bad); }
        .photo { display: block; width: 100%; max-width: 46rem; border: 1px solid var(--line); border-radius: .6rem; }
        .act { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin: .75rem 0; }
        .act label { flex: 1 1 14rem; max-width: 30rem; }
        kbd { font: .8em ui-monospace, monospace; padding: .05rem .35rem; border: 1px solid currentColor; border-radius: .25rem; }
        .timeline { margin: 0; padding: .6rem 1rem .6rem 1.2rem; list-style: none; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; }
        .timeline li { padding: .2rem 0; overflow-wrap: anywhere; }
        @media (max-width: 40rem) { main, header { padding-left: .75rem; padding-right: .75rem; }
          header > strong, nav { flex-basis: 100%; }
          header [name=keys] { display: none; }
          .chart text { font-size: 22px; }
          .scroll table, .scroll tbody, .scroll tr, .scroll th, .scroll td { display: block; }
          .scroll thead { position: absolute; clip-path: inset(50%); }
          .scroll tr { padding: .5rem .25rem; border-bottom: 1px solid var(--line); }
          .scroll th, .scroll td { border: 0; padding: .1rem .6rem; }
          .scroll td:empty { display: none; }
          .scroll td::before { content: attr(data-label) ": "; color: var(--faint); }
          .tiles { grid-template-columns: repeat(2, 1fr); } }
        @media (prefers-reduced-motion: reduce) { * { transition: none !important; scroll-behavior: auto !important; } }

        """#
}
