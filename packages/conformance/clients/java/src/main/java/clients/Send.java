package clients;

import brave.Tracing;
import io.jaegertracing.internal.JaegerTracer;
import io.jaegertracing.internal.reporters.RemoteReporter;
import io.jaegertracing.internal.samplers.ConstSampler;
import io.jaegertracing.spi.Sender;
import io.jaegertracing.thrift.internal.senders.HttpSender;
import io.jaegertracing.thrift.internal.senders.UdpSender;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import zipkin2.reporter.brave.AsyncZipkinSpanHandler;
import zipkin2.reporter.urlconnection.URLConnectionSender;

/** Sends one span with a client library for Java: {@code Send <client> <host:port or URL> <service>}. */
public final class Send {
  private Send() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 3) throw new IllegalArgumentException("usage: Send <client> <address> <service>");
    String client = arguments[0];
    String address = arguments[1];
    String service = arguments[2];
    switch (client) {
      case "otlp-grpc" -> otlp(
          OtlpGrpcSpanExporter.builder().setEndpoint("http://" + address).setCompression("gzip").build(), service);
      case "otlp-http" -> otlp(
          OtlpHttpSpanExporter.builder().setEndpoint(address + "/v1/traces").setCompression("gzip").build(), service);
      case "jaeger-compact" -> {
        int colon = address.lastIndexOf(':');
        String host = address.substring(0, colon);
        jaeger(new UdpSender(host, Integer.parseInt(address.substring(colon + 1)), 0), service);
      }
      case "jaeger-http" -> jaeger(new HttpSender.Builder(address).build(), service);
      case "zipkin" -> zipkin(address, service);
      default -> throw new IllegalArgumentException("unknown client " + client);
    }
  }

  /** One span with every type of attribute, an event and a status. */
  private static void otlp(SpanExporter exporter, String service) {
    Resource resource = Resource.create(Attributes.of(AttributeKey.stringKey("service.name"), service));
    SdkTracerProvider provider =
        SdkTracerProvider.builder()
            .setResource(resource)
            .addSpanProcessor(BatchSpanProcessor.builder(exporter).build())
            .build();
    Span span = provider.get("test").spanBuilder("java work").startSpan();
    span.setAttribute("text", "grüße");
    span.setAttribute("whole", 42);
    span.setAttribute("part", 2.5);
    span.setAttribute("yes", true);
    span.setAttribute(AttributeKey.stringArrayKey("list"), List.of("a", "b"));
    span.addEvent("done", Attributes.of(AttributeKey.longKey("size"), 7L));
    span.setStatus(StatusCode.ERROR, "bad");
    span.end();
    if (!provider.forceFlush().join(10, TimeUnit.SECONDS).isSuccess()) {
      throw new IllegalStateException("the span was not taken");
    }
    provider.close();
  }

  private static void jaeger(Sender sender, String service) {
    RemoteReporter reporter = new RemoteReporter.Builder().withSender(sender).build();
    JaegerTracer tracer =
        new JaegerTracer.Builder(service).withSampler(new ConstSampler(true)).withReporter(reporter).build();
    tracer
        .buildSpan("java work")
        .withTag("text", "grüße")
        .withTag("whole", 42)
        .withTag("part", 2.5)
        .withTag("yes", true)
        .start()
        .log(Map.of("event", "done"))
        .finish();
    tracer.close();
  }

  private static void zipkin(String url, String service) {
    AsyncZipkinSpanHandler handler = AsyncZipkinSpanHandler.create(URLConnectionSender.create(url));
    try (Tracing tracing =
        Tracing.newBuilder().localServiceName(service).traceId128Bit(true).addSpanHandler(handler).build()) {
      tracing
          .tracer()
          .newTrace()
          .name("java work")
          .kind(brave.Span.Kind.SERVER)
          .tag("text", "grüße")
          .start()
          .annotate("done")
          .finish();
    }
    handler.flush();
    handler.close();
  }
}
