import { ServerError } from "../errors.ts";

/** Variables of the process, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ServerError MODULE_CONFIG for a text that is not a positive whole number */
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

/** Protocols for a collector. */
export type OtlpProtocol = "http/protobuf" | "grpc";

export type OtlpSignal = "TRACES" | "METRICS";

/**
 * The environment's value for a signal: `OTEL_EXPORTER_OTLP_<signal>_<name>`, otherwise
 * `OTEL_EXPORTER_OTLP_<name>`.
 * @returns "" when neither is set
 */
export function otlpVariable(environment: Environment, signal: OtlpSignal, name: string): string {
  return (
    environment[`OTEL_EXPORTER_OTLP_${signal}_${name}`] || environment[`OTEL_EXPORTER_OTLP_${name}`] || ""
  );
}

/**
 * The protocol for a signal: the value of its own variable, else the value of `OTEL_EXPORTER_OTLP_PROTOCOL`, else
 * http/protobuf.
 * @param who beginning of the error message
 * @throws ServerError MODULE_CONFIG for an unknown protocol
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
