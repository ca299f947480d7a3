/** The client has no types of its own: what the tests need. */
declare module "jaeger-client" {
  interface JaegerSpan {
    setTag(key: string, value: string | number | boolean): this;
    log(fields: Readonly<Record<string, unknown>>, timestampMs?: number): this;
    context(): { toTraceId(): string; toSpanId(): string };
    finish(finishTimeMs?: number): void;
  }

  const client: {
    readonly RemoteSampler: new (
      serviceName: string,
      options: {
        readonly hostPort: string;
        readonly samplingPath: string;
        readonly refreshInterval: number;
        onSamplerUpdate(sampler: { toString(): string }): void;
      },
    ) => { close(): void };
    initTracer(
      config: {
        readonly serviceName: string;
        readonly sampler: { readonly type: string; readonly param: number };
        readonly reporter: { readonly collectorEndpoint: string; readonly flushIntervalMs: number };
      },
      options: { readonly tags: Readonly<Record<string, string>> },
    ): {
      startSpan(
        name: string,
        options?: { readonly childOf?: JaegerSpan; readonly startTime?: number },
      ): JaegerSpan;
      close(onClosed: () => void): void;
    };
  };
  export default client;
}
