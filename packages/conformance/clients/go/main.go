// Command send sends one span with a client library for Go.
//
//	send <otlp-grpc|otlp-http|jaeger-compact|jaeger-http|zipkin> <host:port or URL> <service>
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"time"

	"github.com/openzipkin/zipkin-go"
	"github.com/openzipkin/zipkin-go/model"
	zipkinhttp "github.com/openzipkin/zipkin-go/reporter/http"
	"github.com/opentracing/opentracing-go"
	"github.com/uber/jaeger-client-go"
	"github.com/uber/jaeger-client-go/transport"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: send <client> <address> <service>")
	}
	client, address, service := os.Args[1], os.Args[2], os.Args[3]
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var err error
	switch client {
	case "otlp-grpc":
		err = otlp(ctx, service, func() (sdktrace.SpanExporter, error) {
			return otlptracegrpc.New(ctx, otlptracegrpc.WithEndpoint(address), otlptracegrpc.WithInsecure(),
				otlptracegrpc.WithCompressor("gzip"))
		})
	case "otlp-http":
		err = otlp(ctx, service, func() (sdktrace.SpanExporter, error) {
			return otlptracehttp.New(ctx, otlptracehttp.WithEndpoint(address), otlptracehttp.WithInsecure(),
				otlptracehttp.WithCompression(otlptracehttp.GzipCompression))
		})
	case "jaeger-compact":
		err = jaegerUDP(address, service)
	case "jaeger-http":
		err = jaegerHTTP(address, service)
	case "zipkin":
		err = zipkinHTTP(address, service)
	default:
		err = fmt.Errorf("unknown client %s", client)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// One span with every type of attribute, an event, a link and a status.
func otlp(ctx context.Context, service string, open func() (sdktrace.SpanExporter, error)) error {
	exporter, err := open()
	if err != nil {
		return err
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithSyncer(exporter),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", service))),
	)
	link := trace.Link{SpanContext: trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled,
	})}
	_, span := provider.Tracer("test").Start(ctx, "go work", trace.WithLinks(link))
	span.SetAttributes(
		attribute.String("text", "grüße"),
		attribute.Int("whole", 42),
		attribute.Float64("part", 2.5),
		attribute.Bool("yes", true),
		attribute.StringSlice("list", []string{"a", "b"}),
	)
	span.AddEvent("done", trace.WithAttributes(attribute.Int("size", 7)))
	span.SetStatus(codes.Error, "bad")
	span.End()
	// A syncer swallows errors of its exporter, so that what was not taken is only not found.
	return provider.Shutdown(ctx)
}

func withJaeger(service string, reporter jaeger.Reporter) error {
	tracer, closer := jaeger.NewTracer(service, jaeger.NewConstSampler(true), reporter)
	parent := tracer.StartSpan("parent")
	span := tracer.StartSpan("go work", opentracing.FollowsFrom(parent.Context()))
	span.SetTag("text", "grüße").SetTag("whole", 42).SetTag("part", 2.5).SetTag("yes", true)
	span.LogKV("event", "done", "size", 7)
	span.Finish()
	parent.Finish()
	return closer.Close()
}

// Thrift compact to the agent.
func jaegerUDP(address, service string) error {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return err
	}
	sender, err := jaeger.NewUDPTransport(address, 0)
	if err != nil {
		return err
	}
	return withJaeger(service, jaeger.NewRemoteReporter(sender))
}

// Thrift to the collector.
func jaegerHTTP(url, service string) error {
	return withJaeger(service, jaeger.NewRemoteReporter(transport.NewHTTPTransport(url)))
}

func zipkinHTTP(url, service string) error {
	reporter := zipkinhttp.NewReporter(url)
	endpoint, err := zipkin.NewEndpoint(service, "127.0.0.1:80")
	if err != nil {
		return err
	}
	tracer, err := zipkin.NewTracer(reporter, zipkin.WithLocalEndpoint(endpoint))
	if err != nil {
		return err
	}
	span := tracer.StartSpan("go work", zipkin.Kind(model.Server))
	span.Tag("text", "grüße")
	span.Annotate(time.Now(), "done")
	span.Finish()
	return reporter.Close()
}
