// The two endpoints of scripts/bench on loopback: takes any POST that holds a photo in a form, waits, answers; counts in /stats.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// So far from either end of a body the marks of its photo must stand.
const edge = 4096

var (
	lock  sync.Mutex
	posts int
	bad   int
	keys  = map[string]bool{}
	// When the first and the last photo had come, in seconds since 1970.
	first, last float64
)

// whole tells whether a body begins and ends as a form does, with both ends of a JPEG in it.
func whole(body []byte) bool {
	head, tail := body, body
	if len(body) > edge {
		head, tail = body[:edge], body[len(body)-edge:]
	}
	return bytes.HasPrefix(body, []byte("--")) && bytes.Contains(head, []byte("\xff\xd8\xff")) &&
		bytes.Contains(tail, []byte("\xff\xd9")) && bytes.Contains(tail, []byte("--"))
}

// What each endpoint answers: a front in the dialect FaceID v1, or that the document was accepted.
var answers = map[string]string{
	"verify": `{"request_id": "1700000000,stub", "time_used": 1, "side": "front", "name": "样本", "race": "汉", "gender": "男",
		"address": "北京市样本路1号", "id_card_number": "110101196001010011", "birthday": {"year": "1960", "month": "1", "day": "1"},
		"legality": {"ID Photo": 0.97, "Temporary ID Photo": 0.01, "Photocopy": 0.01, "Screen": 0.01, "Edited": 0}}`,
	"backend": `{"RETCODE": "000000", "RETMSG": "ok"}`,
}

func main() {
	role := flag.String("role", "verify", "verify or backend")
	latency := flag.Duration("latency", 0, "how long each answer takes")
	flag.Parse()
	http.HandleFunc("/stats", func(answer http.ResponseWriter, _ *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		json.NewEncoder(answer).Encode(map[string]any{
			"posts": posts, "bad": bad, "unique_keys": len(keys), "first": first, "last": last,
		})
	})
	http.HandleFunc("/", func(answer http.ResponseWriter, request *http.Request) {
		buffer := bytes.NewBuffer(make([]byte, 0, request.ContentLength+bytes.MinRead))
		_, err := buffer.ReadFrom(request.Body)
		lock.Lock()
		posts++
		last = float64(time.Now().UnixNano()) / 1e9
		if posts == 1 {
			first = last
		}
		if err != nil || !whole(buffer.Bytes()) {
			bad++
		}
		if key := request.Header.Get("Idempotency-Key"); key != "" {
			keys[key] = true
		}
		lock.Unlock()
		time.Sleep(*latency)
		answer.Header().Set("Content-Type", "application/json")
		io.WriteString(answer, answers[*role])
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("http://" + listener.Addr().String())
	log.Fatal(http.Serve(listener, nil))
}
