/** The client has no types of its own: what the test needs. */
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
