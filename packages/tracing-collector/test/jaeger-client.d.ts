/** The client has no types of its own: what the test needs. */
declare module "jaeger-client" {
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
  };
  export default client;
}
