import { ServerError } from "../../../core/errors.ts";

/** Variables of the process, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ServerError MODULE_CONFIG for what is no positive whole number */
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

/**
 * Looks whether what the environment wants spoken to the collector is spoken: `OTEL_EXPORTER_OTLP_TRACES_PROTOCOL` or
 * that of metrics, else `OTEL_EXPORTER_OTLP_PROTOCOL`, else http/protobuf.
 * @param who begins the message
 * @throws ServerError MODULE_CONFIG for any other
 */
export function requireHttpProtobuf(
  environment: Environment,
  signal: "TRACES" | "METRICS",
  who: string,
): void {
  const protocol =
    environment[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`] ||
    environment.OTEL_EXPORTER_OTLP_PROTOCOL ||
    "http/protobuf";
  if (protocol !== "http/protobuf") {
    throw new ServerError(
      "MODULE_CONFIG",
      `${who}: OTLP protocol '${protocol}' is not supported yet, only http/protobuf`,
    );
  }
}
