"""Sends one span with the OpenTelemetry SDK over OTLP/HTTP; where to is told by OTEL_EXPORTER_OTLP_ENDPOINT."""

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
with provider.get_tracer("test").start_as_current_span("python work") as span:
    span.set_attributes({"text": "grüße", "whole": 42, "part": 2.5, "yes": True, "list": ["a", "b"]})
provider.shutdown()
