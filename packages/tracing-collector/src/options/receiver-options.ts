import {
  bytes,
  commaList,
  duration,
  hostPort,
  parseHostPort,
  serverTlsOptions,
  tenancyOptions,
} from "lifecycle";
import { z } from "zod";

/** Longest delay of a Node timer in milliseconds, about 24 days. Node runs a longer timer immediately. */
const maxTimerMs = 2_147_483_647;

/** A time limit in milliseconds; 0 means none. */
function timeout(defaultValue: string, description: string) {
  return duration(defaultValue)
    .refine((ms) => ms <= maxTimerMs, "is over 24 days")
    .describe(`${description}; 0: no limit.`);
}

/** An address whose receiver is off by default: "" becomes undefined. */
function optionalHostPort() {
  return z
    .string()
    .transform((text, context) => {
      const value = text === "" ? undefined : parseHostPort(text);
      if (text !== "" && value === undefined) {
        context.addIssue(`"${text}" is not host:port, :port or a port number`);
        return z.NEVER;
      }
      return value;
    })
    .prefault("")
    .meta({ placeholder: "host:port" });
}

// Options that several listeners share, with one default.
const maxMessageSize = () => bytes("4MiB").describe("Largest message, decompressed.");
const maxConnectionAge = () =>
  timeout("0s", "Time after which a connection is asked to end, so that clients spread over collectors anew");
const maxConnectionAgeGrace = () => timeout("0s", "Time for calls under way after that");
const idleTimeout = () => timeout("0s", "How long an idle connection is kept");
const readTimeout = () => timeout("5m", "Time for a whole request");
const readHeaderTimeout = () => timeout("2s", "Time for the headers of a request");
const allowedOrigins = () =>
  commaList().describe("Origins whose pages may send spans, such as https://*.example.com; *: any.");
const allowedHeaders = () =>
  commaList().describe("Headers that those pages may send; empty: the usual ones, *: any.");

/**
 * Options of the receivers. Names and defaults are Jaeger's, except the default of `read-timeout`, which is
 * unlimited in Jaeger.
 */
export const receiverOptions = z.object({
  "collector.otlp.enabled": z.boolean().default(true).describe("Whether OTLP is served."),
  "collector.otlp.grpc.host-port": hostPort(":4317").describe("Address of OTLP over gRPC."),
  "collector.otlp.grpc.max-message-size": maxMessageSize(),
  "collector.otlp.grpc.max-connection-age": maxConnectionAge(),
  "collector.otlp.grpc.max-connection-age-grace": maxConnectionAgeGrace(),
  ...serverTlsOptions("collector.otlp.grpc"),
  "collector.otlp.http.host-port": hostPort(":4318").describe("Address of OTLP over HTTP."),
  "collector.otlp.http.idle-timeout": idleTimeout(),
  "collector.otlp.http.read-timeout": readTimeout(),
  "collector.otlp.http.read-header-timeout": readHeaderTimeout(),
  "collector.otlp.http.cors.allowed-origins": allowedOrigins(),
  "collector.otlp.http.cors.allowed-headers": allowedHeaders(),
  ...serverTlsOptions("collector.otlp.http"),
  "collector.grpc-server.host-port": hostPort(":14250").describe("Address of the api_v2 gRPC services."),
  "collector.grpc-server.max-message-size": maxMessageSize(),
  "collector.grpc-server.max-connection-age": maxConnectionAge(),
  "collector.grpc-server.max-connection-age-grace": maxConnectionAgeGrace(),
  ...serverTlsOptions("collector.grpc"),
  "collector.http-server.host-port": hostPort(":14268").describe(
    "Address of Thrift over HTTP, and of sampling strategies.",
  ),
  "collector.http-server.idle-timeout": idleTimeout(),
  "collector.http-server.read-timeout": readTimeout(),
  "collector.http-server.read-header-timeout": readHeaderTimeout(),
  ...serverTlsOptions("collector.http"),
  "collector.zipkin.host-port": optionalHostPort().describe(
    "Address of Zipkin's formats; empty: not served.",
  ),
  "collector.zipkin.keep-alive": z
    .boolean()
    .default(true)
    .describe("Whether connections stay for further requests."),
  "collector.zipkin.cors.allowed-origins": allowedOrigins(),
  "collector.zipkin.cors.allowed-headers": allowedHeaders(),
  ...serverTlsOptions("collector.zipkin"),
  ...tenancyOptions(),
});
