import { readFileSync } from "node:fs";
import { messageOf, ServerError } from "../errors.ts";
import { type Environment, type OtlpSignal, otlpVariable, wholeNumber } from "./environment-values.ts";

/** Settings for a collector over gRPC. */
export interface GrpcSettings {
  /** Origin: `http://host:port`, or https. */
  readonly origin: string;
  /** Metadata for every call. Source: OTEL_EXPORTER_OTLP_HEADERS */
  readonly headers: Readonly<Record<string, string>>;
  /** Time limit of one export in milliseconds, including retries. */
  readonly timeoutMs: number;
  /** True when messages are compressed. Source: OTEL_EXPORTER_OTLP_COMPRESSION */
  readonly gzip: boolean;
  /** Trusted CAs, PEM; undefined: Node's CAs. */
  readonly ca: Buffer | undefined;
  /** Client certificate, PEM; undefined without mutual TLS. */
  readonly cert: Buffer | undefined;
  /** Private key of the client certificate, PEM. */
  readonly key: Buffer | undefined;
}

function refuse(name: string, why: string): ServerError {
  return new ServerError("MODULE_CONFIG", `environment variable OTEL_EXPORTER_OTLP_${name}: ${why}`);
}

/** Parses comma-separated `name=value` pairs, percent-encoded. @throws ServerError MODULE_CONFIG */
function headersOf(text: string): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair): [string, string] => {
      const [name = "", ...value] = pair.split("=");
      try {
        return [decodeURIComponent(name).trim().toLowerCase(), decodeURIComponent(value.join("=")).trim()];
      } catch {
        // The error must not contain the value, which may be a secret.
        throw refuse("HEADERS", "it is not percent-encoded as it should be");
      }
    }),
  );
}

/**
 * @param insecure true: an address without a scheme uses plain text
 * @throws ServerError MODULE_CONFIG
 */
function originOf(endpoint: string, insecure: boolean): string {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(endpoint)
    ? endpoint
    : `${insecure ? "http" : "https"}://${endpoint}`;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refuse("ENDPOINT", `${JSON.stringify(endpoint)} is no address`);
  }
  if ((url.protocol !== "http:" && url.protocol !== "https:") || url.hostname === "") {
    throw refuse("ENDPOINT", `${JSON.stringify(endpoint)} is neither http nor https`);
  }
  return url.origin;
}

/**
 * Reads `OTEL_EXPORTER_OTLP_*` with their meaning for gRPC, which ignores a path in the endpoint.
 * @throws ServerError MODULE_CONFIG. Source: OpenTelemetry specification, "OpenTelemetry Protocol Exporter"
 */
export function readGrpcSettings(environment: Environment, signal: OtlpSignal): GrpcSettings {
  const of = (name: string) => otlpVariable(environment, signal, name);
  const file = (name: string): Buffer | undefined => {
    const path = of(name);
    try {
      return path === "" ? undefined : readFileSync(path);
    } catch (error) {
      throw refuse(name, messageOf(error));
    }
  };
  const compression = of("COMPRESSION") || "none";
  if (compression !== "none" && compression !== "gzip") {
    throw refuse("COMPRESSION", `${JSON.stringify(compression)} is neither gzip nor none`);
  }
  const own = wholeNumber(environment, `OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`, 0);
  return {
    origin: originOf(of("ENDPOINT") || "http://localhost:4317", of("INSECURE").toLowerCase() === "true"),
    headers: {
      ...headersOf(environment.OTEL_EXPORTER_OTLP_HEADERS ?? ""),
      ...headersOf(environment[`OTEL_EXPORTER_OTLP_${signal}_HEADERS`] ?? ""),
    },
    timeoutMs: own || wholeNumber(environment, "OTEL_EXPORTER_OTLP_TIMEOUT", 10_000),
    gzip: compression === "gzip",
    ca: file("CERTIFICATE"),
    cert: file("CLIENT_CERTIFICATE"),
    key: file("CLIENT_KEY"),
  };
}
