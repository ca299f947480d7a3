/** The types that the test needs, because the client has none. */
declare module "jaeger-client" {
  import type { Tracer } from "opentracing";

  const client: {
    initTracer(
      config: {
        readonly serviceName: string;
        readonly sampler: {
          readonly type: string;
          readonly param: number;
          readonly host?: string;
          readonly port?: number;
          readonly refreshIntervalMs?: number;
        };
        readonly reporter: {
          readonly agentHost: string;
          readonly agentPort: number;
          readonly flushIntervalMs: number;
        };
      },
      options: { readonly tags: Readonly<Record<string, string>> },
    ): Tracer & { close(onClosed: () => void): void };
  };
  export default client;
}
