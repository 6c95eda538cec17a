// The two endpoints of scripts/bench on loopback: takes any POST that holds a photo in a form, waits, answers; counts in /stats.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
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

// reading is a front in the dialect FaceID v1, with a valid number that differs per request.
func reading(count int) map[string]any {
	year, month, day := 1960+count/336000%40, 1+count/28000%12, 1+count/1000%28
	number, sum := fmt.Sprintf("110101%04d%02d%02d%03d", year, month, day, count%1000), 0
	for place, weight := range []int{7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2} {
		sum += int(number[place]-'0') * weight
	}
	return map[string]any{
		"request_id": fmt.Sprintf("1700000000,stub-%d", count), "time_used": 1, "side": "front", "name": "样本", "race": "汉",
		"gender": []string{"女", "男"}[count%2], "address": fmt.Sprintf("北京市样本路%d号", count),
		"id_card_number": number + "10X98765432"[sum%11:sum%11+1],
		"birthday":       map[string]string{"year": fmt.Sprint(year), "month": fmt.Sprint(month), "day": fmt.Sprint(day)},
		"legality": map[string]float64{
			"ID Photo": 0.97, "Temporary ID Photo": 0.01, "Photocopy": 0.01, "Screen": 0.01, "Edited": 0,
		},
	}
}

func main() {
	port := flag.Int("port", 0, "where to listen on loopback")
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
		count := posts
		last = float64(time.Now().UnixNano()) / 1e9
		if count == 1 {
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
		if *role == "verify" {
			json.NewEncoder(answer).Encode(reading(count))
		} else {
			json.NewEncoder(answer).Encode(map[string]string{"RETCODE": "000000", "RETMSG": "ok"})
		}
	})
	fmt.Fprintln(os.Stderr, http.ListenAndServe(fmt.Sprintf("127.0.0.1:%d", *port), nil))
	os.Exit(1)
}
