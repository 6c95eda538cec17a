# Sourced by scripts/prove-*: runs the module named first with the rest as arguments, in the environment of scripts/setup.
module=$1
shift
python=.venv/bin/python3
if [ ! -x "$python" ]; then
    case " $* " in
        *" --help "* | *" -h "*) python=python3 ;;
        *) echo "prove: the Python environment .venv is missing: run scripts/setup" >&2; exit 69 ;;
    esac
fi
PYTHONPATH=scripts PYTHONDONTWRITEBYTECODE=1 exec "$python" -m "proofs.$module" "$@"
