// Command remote-write-receiver takes Prometheus remote write with Prometheus' own library, and says what it took.
//
// POST /api/v1/write takes versions 1 and 2, /v1 and /v2 take only one of them. GET /requests answers with a JSON list of what
// was taken: the version, and each series with its labels, values, metadata and exemplars.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/prometheus/client_golang/exp/api/remote"
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
	"google.golang.org/protobuf/proto"
)

type exemplar struct {
	Labels map[string]string `json:"labels"`
	Value  float64           `json:"value"`
}

type series struct {
	Labels    map[string]string `json:"labels"`
	Values    []float64         `json:"values"`
	Type      string            `json:"type"`
	Help      string            `json:"help"`
	Exemplars []exemplar        `json:"exemplars"`
}

type request struct {
	Message string   `json:"message"`
	Bytes   int      `json:"bytes"`
	Series  []series `json:"series"`
}

type store struct {
	mutex    sync.Mutex
	requests []request
}

// Store is called by the library after it has looked at the content type and decompressed the body.
func (s *store) Store(r *http.Request, kind remote.WriteMessageType) (*remote.WriteResponse, error) {
	answer := remote.NewWriteResponse()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return answer, err
	}
	taken := request{Message: string(kind), Bytes: len(body)}
	if kind == remote.WriteV2MessageType {
		var message writev2.Request
		if err := proto.Unmarshal(body, &message); err != nil {
			answer.SetStatusCode(http.StatusBadRequest)
			return answer, err
		}
		taken.Series = seriesOf(&message)
		var stats remote.WriteResponseStats
		for _, one := range message.Timeseries {
			stats.Samples += len(one.Samples)
			stats.Exemplars += len(one.Exemplars)
		}
		answer.Add(stats)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.requests = append(s.requests, taken)
	return answer, nil
}

func seriesOf(message *writev2.Request) []series {
	labels := func(refs []uint32) map[string]string {
		found := map[string]string{}
		for i := 0; i+1 < len(refs); i += 2 {
			found[message.Symbols[refs[i]]] = message.Symbols[refs[i+1]]
		}
		return found
	}
	var all []series
	for _, one := range message.Timeseries {
		read := series{
			Labels: labels(one.LabelsRefs),
			Type:   one.Metadata.GetType().String(),
			Help:   message.Symbols[one.Metadata.GetHelpRef()],
		}
		for _, sample := range one.Samples {
			read.Values = append(read.Values, sample.Value)
		}
		for _, found := range one.Exemplars {
			read.Exemplars = append(read.Exemplars, exemplar{labels(found.LabelsRefs), found.Value})
		}
		all = append(all, read)
	}
	return all
}

func main() {
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	kept := &store{}
	v1, v2 := remote.WriteV1MessageType, remote.WriteV2MessageType
	http.Handle("POST /api/v1/write", remote.NewWriteHandler(kept, remote.MessageTypes{v1, v2}))
	http.Handle("POST /v1", remote.NewWriteHandler(kept, remote.MessageTypes{v1}))
	http.Handle("POST /v2", remote.NewWriteHandler(kept, remote.MessageTypes{v2}))
	http.HandleFunc("GET /requests", func(w http.ResponseWriter, _ *http.Request) {
		kept.mutex.Lock()
		defer kept.mutex.Unlock()
		_ = json.NewEncoder(w).Encode(kept.requests)
	})
	fmt.Println("listens on", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}
