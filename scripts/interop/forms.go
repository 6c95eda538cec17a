// Go's multipart encoder and parser, for Tests/MultipartFormTests and scripts/prove.
//
//	forms encode          parts as JSON from standard input; writes the content type, a line end and the body
//	forms parse FOLDER    FOLDER/CASE.body of each case of FOLDER/cases.json into FOLDER/parsed-go.json
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"os"
	"path/filepath"
)

type part struct {
	Name     string  `json:"name"`
	Filename *string `json:"filename"`
	Type     *string `json:"type"`
	Data     []byte  `json:"data,omitempty"`
	Digest   string  `json:"sha256"`
}

type parsed struct {
	Case    string `json:"case"`
	Parser  string `json:"parser"`
	Ordered bool   `json:"ordered"`
	Parts   []part `json:"parts"`
	Error   string `json:"error,omitempty"`
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func encode() {
	var parts []part
	check(json.NewDecoder(os.Stdin).Decode(&parts))
	var body bytes.Buffer
	writer := multipart.NewWriter(&body)
	for _, part := range parts {
		if part.Filename == nil {
			check(writer.WriteField(part.Name, string(part.Data)))
			continue
		}
		content, err := writer.CreateFormFile(part.Name, *part.Filename)
		check(err)
		_, err = content.Write(part.Data)
		check(err)
	}
	check(writer.Close())
	fmt.Println(writer.FormDataContentType())
	_, err := os.Stdout.Write(body.Bytes())
	check(err)
}

func parse(folder string) {
	var cases []struct{ Case, Boundary string }
	text, err := os.ReadFile(filepath.Join(folder, "cases.json"))
	check(err)
	check(json.Unmarshal(text, &cases))
	var results []parsed
	for _, item := range cases {
		body, err := os.ReadFile(filepath.Join(folder, item.Case+".body"))
		check(err)
		result := parsed{Case: item.Case, Parser: "go", Ordered: true}
		if result.Parts, err = parseBody(body, item.Boundary); err != nil {
			result.Error = err.Error()
		}
		results = append(results, result)
	}
	text, err = json.Marshal(results)
	check(err)
	check(os.WriteFile(filepath.Join(folder, "parsed-go.json"), text, 0o600))
}

func parseBody(body []byte, boundary string) ([]part, error) {
	parts := []part{}
	reader := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		next, err := reader.NextPart()
		if err == io.EOF {
			return parts, nil
		}
		if err != nil {
			return parts, err
		}
		data, err := io.ReadAll(next)
		if err != nil {
			return parts, err
		}
		result := part{Name: next.FormName(), Digest: fmt.Sprintf("%x", sha256.Sum256(data))}
		if filename := next.FileName(); filename != "" {
			mediaType := next.Header.Get("Content-Type")
			result.Filename, result.Type = &filename, &mediaType
		}
		parts = append(parts, result)
	}
}

func main() {
	if os.Args[1] == "encode" {
		encode()
	} else {
		parse(os.Args[2])
	}
}
