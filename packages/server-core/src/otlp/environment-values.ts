import { ServerError } from "../errors.ts";

/** Variables of the process, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ServerError MODULE_CONFIG for a text that is no positive whole number */
export function wholeNumber(environment: Environment, name: string, fallback: number): number {
  const text = environment[name] ?? "";
  const value = Number(text);
  if (text !== "" && (!Number.isInteger(value) || value <= 0)) {
    throw new ServerError(
      "MODULE_CONFIG",
      `environment variable ${name}: ${JSON.stringify(text)} is not a positive whole number`,
    );
  }
  return text === "" ? fallback : value;
}

/** The protocols of a collector. */
export type OtlpProtocol = "http/protobuf" | "grpc";

export type OtlpSignal = "TRACES" | "METRICS";

/**
 * The environment's value for a signal: `OTEL_EXPORTER_OTLP_<signal>_<name>`, otherwise
 * `OTEL_EXPORTER_OTLP_<name>`.
 * @returns "" when it says nothing
 */
export function otlpVariable(environment: Environment, signal: OtlpSignal, name: string): string {
  return (
    environment[`OTEL_EXPORTER_OTLP_${signal}_${name}`] || environment[`OTEL_EXPORTER_OTLP_${name}`] || ""
  );
}

/**
 * The protocol of the collector: that of the signal, or `OTEL_EXPORTER_OTLP_PROTOCOL`; otherwise
 * http/protobuf.
 * @param who begins the message
 * @throws ServerError MODULE_CONFIG for one that there is not
 */
export function otlpProtocol(environment: Environment, signal: OtlpSignal, who: string): OtlpProtocol {
  const protocol = otlpVariable(environment, signal, "PROTOCOL") || "http/protobuf";
  if (protocol !== "http/protobuf" && protocol !== "grpc") {
    throw new ServerError(
      "MODULE_CONFIG",
      `${who}: OTLP protocol '${protocol}' is not supported, only http/protobuf and grpc`,
    );
  }
  return protocol;
}
