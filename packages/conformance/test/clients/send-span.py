"""Sends one span with a client library for Python.

send-span.py <client> <address> <service>; exit code 3 says that the client is not installed.
"""

import sys

client, address, service = sys.argv[1:]
ATTRIBUTES = {"text": "grüße", "whole": 42, "part": 2.5, "yes": True, "list": ["a", "b"]}


def exporter():
    """One of the exporters of OpenTelemetry."""
    if client == "otlp-http":
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        return OTLPSpanExporter(endpoint=f"{address}/v1/traces")
    from opentelemetry.exporter.zipkin.json import ZipkinExporter

    return ZipkinExporter(endpoint=f"{address}/api/v2/spans")


def with_opentelemetry():
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource({"service.name": service}))
    provider.add_span_processor(BatchSpanProcessor(exporter()))
    with provider.get_tracer("test").start_as_current_span("python work") as span:
        span.set_attributes(ATTRIBUTES)
        span.add_event("done", {"size": 7})
    provider.shutdown()


def with_jaeger_client():
    import time

    from jaeger_client import Config

    host, port = address.split(":")
    agent = {"reporting_host": host, "reporting_port": int(port)}
    config = {"sampler": {"type": "const", "param": 1}, "local_agent": agent, "logging": False}
    tracer = Config(config=config, service_name=service).initialize_tracer()
    with tracer.start_span("python work") as span:
        for key, value in ATTRIBUTES.items():
            span.set_tag(key, value)
        span.log_kv({"event": "done", "size": 7})
    closed = tracer.close()
    while not closed.done():
        time.sleep(0.01)


def with_py_zipkin():
    from urllib.request import Request, urlopen

    from py_zipkin import Encoding
    from py_zipkin.zipkin import zipkin_span

    json = client == "py-zipkin-json"

    def send(body):
        kind = "application/json" if json else "application/x-protobuf"
        urlopen(Request(f"{address}/api/v2/spans", body.encode() if isinstance(body, str) else body, {"Content-Type": kind}))

    with zipkin_span(
        service_name=service,
        span_name="python work",
        transport_handler=send,
        sample_rate=100,
        encoding=Encoding.V2_JSON if json else Encoding.V2_PROTO3,
    ) as span:
        span.update_binary_annotations({"text": "grüße", "whole": "42"})
        span.add_annotation("done")


try:
    if client.startswith("py-zipkin"):
        with_py_zipkin()
    elif client == "jaeger-client":
        with_jaeger_client()
    else:
        with_opentelemetry()
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)
