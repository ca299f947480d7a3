// Writes the block `parquet-go-v4.parquet` of the tests with the library that Tempo writes with, by the schema in Tempo's
// documentation. Tempo itself is not used. In a module that requires github.com/parquet-go/parquet-go v0.25.1:
// go run make-block.go parquet-go-v4.parquet

package main

import (
	"fmt"
	"os"

	"github.com/parquet-go/parquet-go"
)

type Attr struct {
	Key              string    `parquet:",snappy,dict"`
	IsArray          bool      `parquet:",snappy"`
	Value            []string  `parquet:",snappy,dict,list"`
	ValueInt         []int64   `parquet:",snappy,list"`
	ValueDouble      []float64 `parquet:",snappy,list"`
	ValueBool        []bool    `parquet:",snappy,list"`
	ValueUnsupported *string   `parquet:",snappy,optional"`
}
type Dedicated struct {
	String01 *string `parquet:",snappy,optional,dict"`
	String02 *string `parquet:",snappy,optional,dict"`
	String03 *string `parquet:",zstd,optional,dict"`
}
type Event struct {
	TimeSinceStartNano     uint64 `parquet:",delta"`
	Name                   string `parquet:",snappy,dict"`
	Attrs                  []Attr `parquet:",list"`
	DroppedAttributesCount int32  `parquet:",snappy,delta"`
}
type Link struct {
	TraceID                []byte `parquet:","`
	SpanID                 []byte `parquet:","`
	TraceState             string `parquet:",snappy,dict"`
	Attrs                  []Attr `parquet:",list"`
	DroppedAttributesCount int32  `parquet:",snappy,delta"`
}
type Span struct {
	SpanID                 []byte  `parquet:","`
	ParentSpanID           []byte  `parquet:","`
	ParentID               int32   `parquet:",delta"`
	NestedSetLeft          int32   `parquet:",delta"`
	NestedSetRight         int32   `parquet:",delta"`
	Name                   string  `parquet:",snappy,dict"`
	Kind                   int     `parquet:",delta"`
	TraceState             string  `parquet:",snappy,dict"`
	StartTimeUnixNano      uint64  `parquet:",delta"`
	DurationNano           uint64  `parquet:",delta"`
	StatusCode             int     `parquet:",delta"`
	StatusMessage          string  `parquet:",zstd,dict"`
	Attrs                  []Attr  `parquet:",list"`
	DroppedAttributesCount int32   `parquet:",snappy,delta"`
	Events                 []Event `parquet:",list"`
	DroppedEventsCount     int32   `parquet:",snappy,delta"`
	Links                  []Link  `parquet:",list"`
	DroppedLinksCount      int32   `parquet:",snappy,delta"`
	HttpMethod             *string `parquet:",snappy,optional,dict"`
	HttpUrl                *string `parquet:",snappy,optional,dict"`
	HttpStatusCode         *int64  `parquet:",snappy,optional"`
	DedicatedAttributes    Dedicated
}
type Scope struct {
	Name                   string `parquet:",snappy,dict"`
	Version                string `parquet:",snappy,dict"`
	Attrs                  []Attr `parquet:",list"`
	DroppedAttributesCount int32  `parquet:",snappy,delta"`
}
type SS struct {
	Scope Scope
	Spans []Span `parquet:",list"`
}
type Resource struct {
	Attrs                  []Attr  `parquet:",list"`
	DroppedAttributesCount int32   `parquet:",snappy,delta"`
	ServiceName            string  `parquet:",snappy,dict"`
	Cluster                *string `parquet:",snappy,optional,dict"`
	Namespace              *string `parquet:",snappy,optional,dict"`
	Pod                    *string `parquet:",snappy,optional,dict"`
	Container              *string `parquet:",snappy,optional,dict"`
	K8sClusterName         *string `parquet:",snappy,optional,dict"`
	K8sNamespaceName       *string `parquet:",snappy,optional,dict"`
	K8sPodName             *string `parquet:",snappy,optional,dict"`
	K8sContainerName       *string `parquet:",snappy,optional,dict"`
	DedicatedAttributes    Dedicated
}
type RS struct {
	Resource Resource
	SS       []SS `parquet:"ss,list"`
}
type Stats struct {
	SpanCount  uint32 `parquet:",delta"`
	ErrorCount uint32 `parquet:",delta"`
}
type Trace struct {
	TraceID           []byte           `parquet:""`
	TraceIDText       string           `parquet:",snappy"`
	StartTimeUnixNano uint64           `parquet:",delta"`
	EndTimeUnixNano   uint64           `parquet:",delta"`
	DurationNano      uint64           `parquet:",delta"`
	RootServiceName   string           `parquet:",dict"`
	RootSpanName      string           `parquet:",dict"`
	ServiceStats      map[string]Stats `parquet:""`
	RS                []RS             `parquet:"rs,list"`
}

func p[T any](v T) *T { return &v }

const start = uint64(1769860830123456789)

func main() {
	f, _ := os.Create(os.Args[1])
	w := parquet.NewGenericWriter[Trace](f)
	n := 25
	for i := 0; i < n; i++ {
		id := make([]byte, 16)
		id[0] = byte(i)
		id[15] = 0xfe
		var spans []Span
		for s := 0; s < 3+i%3; s++ {
			sp := Span{SpanID: []byte{0, 0, 0, 0, 0, 0, byte(i), byte(s + 1)}, Name: fmt.Sprintf("op %d", s), Kind: 2, StartTimeUnixNano: start + uint64(i*1000+s), DurationNano: 1000}
			if s > 0 {
				sp.ParentSpanID = []byte{0, 0, 0, 0, 0, 0, byte(i), 1}
				sp.HttpMethod = p("GET")
				sp.HttpStatusCode = p(int64(200 + s))
				sp.DedicatedAttributes.String02 = p("user " + fmt.Sprint(i))
			} else {
				sp.StatusCode = 2
				sp.StatusMessage = "no ☕"
				sp.TraceState = "ot=th:8"
				sp.Attrs = []Attr{{Key: "text", Value: []string{"a"}}, {Key: "int", ValueInt: []int64{-9007199254740993}}, {Key: "double", ValueDouble: []float64{1.5}}, {Key: "bool", ValueBool: []bool{false}},
					{Key: "texts", IsArray: true, Value: []string{"x", "y"}}, {Key: "nothing", IsArray: true}, {Key: "map", ValueUnsupported: p(`{"kvlistValue":{"values":[{"key":"k","value":{"intValue":"7"}}]}}`)}}
				sp.Events = []Event{{TimeSinceStartNano: 5, Name: "exception", Attrs: []Attr{{Key: "exception.type", Value: []string{"E"}}}, DroppedAttributesCount: 1}}
				sp.Links = []Link{{TraceID: make([]byte, 16), SpanID: []byte{1, 2, 3, 4, 5, 6, 7, 8}, TraceState: "a=b", Attrs: []Attr{{Key: "l", ValueInt: []int64{1}}}}}
				sp.Links[0].TraceID[3] = 9
				sp.DroppedLinksCount = 4
			}
			spans = append(spans, sp)
		}
		t := Trace{TraceID: id, TraceIDText: fmt.Sprintf("%x", id), StartTimeUnixNano: start, EndTimeUnixNano: start + 5000, DurationNano: 5000, RootServiceName: "shop", RootSpanName: "op 0",
			ServiceStats: map[string]Stats{"shop": {SpanCount: 1}},
			RS: []RS{{Resource: Resource{ServiceName: "shop", K8sPodName: p("pod-1"), Attrs: []Attr{{Key: "host.cpus", ValueInt: []int64{4}}}, DedicatedAttributes: Dedicated{String01: p("eu")}},
				SS: []SS{{Scope: Scope{Name: "lib", Version: "1.2", Attrs: []Attr{{Key: "s", Value: []string{"t"}}}}, Spans: spans[:1]}, {Scope: Scope{}, Spans: spans[1:]}}}}}
		if _, err := w.Write([]Trace{t}); err != nil {
			panic(err)
		}
		if i%10 == 9 {
			w.Flush()
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	f.Close()
}
