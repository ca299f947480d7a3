import {
  bytes,
  clickHouseOptions,
  duration,
  parseHostPort,
  serverTlsOptions,
  tenancyOptions,
} from "lifecycle";
import { z } from "zod";

/**
 * Options of the remote storage API and its store. They have the same names as in Jaeger, if they exist
 * there.
 */
export const grpcOptions = z.object({
  "grpc.host-port": z
    .string()
    .transform((text, context) => {
      if (text === "") {
        return undefined;
      }
      const value = parseHostPort(text);
      if (value !== undefined) {
        return value;
      }
      context.addIssue(`"${text}" is not host:port, :port or a port number`);
      return z.NEVER;
    })
    .prefault(":17271")
    .describe("Address of the remote storage API, over gRPC; empty: not served.")
    .meta({ placeholder: "host:port" }),
  ...serverTlsOptions("grpc"),
  "grpc.max-message-size": bytes("4MiB").describe("Largest message with a span that is taken."),
  // Jaeger's collector sends one span in each call and waits for the answer, so this delay limits the rate of
  // a connection.
  "grpc.max-write-delay": duration("50ms").describe(
    "How long a span that came alone waits for others to be written with it.",
  ),
  // All connections together have this limit. It limits the memory while the store is slow or down.
  "grpc.max-pending-bytes": bytes("64MiB").describe(
    "Spans, as rows, that wait to be written; streams then stop, and single spans are refused.",
  ),
  "grpc.write-timeout": duration("30s").describe(
    "How long spans are tried to be written while the store is away, before their sender is told.",
  ),
  "grpc.streaming-writes": z
    .boolean()
    .default(true)
    .describe(
      "Offer streams of spans: many times faster for collectors of others, which then do not wait until a span is stored.",
    ),
  ...tenancyOptions(),
  ...clickHouseOptions(
    "",
    "HTTP addresses of a ClickHouse cluster that keeps the spans; empty: this process does. With it, this process is a bridge only.",
  ),
});

export type GrpcOptions = z.infer<typeof grpcOptions>;
