// The part of jaeger-client that the tests use; the package has no types.
declare module "jaeger-client" {
  interface Span {
    setTag(key: string, value: string | number | boolean): Span;
    log(fields: Record<string, string | number | boolean>): Span;
    finish(): void;
  }
  interface Tracer {
    startSpan(operation: string): Span;
    close(done: () => void): void;
  }
  const jaeger: {
    initTracer(
      config: {
        serviceName: string;
        sampler: { type: "const"; param: number };
        reporter: {
          agentHost?: string;
          agentPort?: number;
          collectorEndpoint?: string;
          flushIntervalMs: number;
        };
      },
      options: { tags?: Record<string, string> },
    ): Tracer;
  };
  export default jaeger;
}
