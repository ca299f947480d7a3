import type { AttributeValue } from "../model/attribute.ts";
import type { Span } from "../model/span.ts";

type Status = Span["status"];

/**
 * Finds the status of a Zipkin v1 span in its binary annotations; some of these annotations do not become attributes.
 * These sources are tried in order: the code of OpenCensus, the code of OpenTelemetry (a number), the key `error` with
 * any value, an HTTP status.
 *
 * Source: opentelemetry-collector-contrib pkg/translator/zipkin/zipkinv1 0.111, status_code.go.
 */
export class ZipkinV1Status {
  /** Status from `census.status_code`; undefined without this key. */
  #census: Status["code"] | undefined;
  #censusMessage = "";
  /** Status from `otel.status_code`, the number of OTLP's code: 0 unset, 1 ok, 2 error. */
  #own: Status["code"] | undefined;
  #ownMessage = "";
  /** Status from `http.status_code`: unset for 100 to 399, otherwise an error. */
  #http: Status["code"] | undefined;
  #httpMessage = "";
  #hasError = false;

  /** @returns true when the annotation only defines the status, so that it does not become an attribute */
  take(key: string, value: AttributeValue): boolean {
    switch (key) {
      case "census.status_code": {
        const code = int32Of(value);
        if (code !== undefined) {
          this.#census = code === 0 ? "ok" : "error";
        }
        return true;
      }
      case "census.status_description":
      case "opencensus.status_description":
        this.#censusMessage = textOf(value);
        return true;
      case "otel.status_code": {
        const code = int32Of(value);
        if (code !== undefined) {
          this.#own = code === 1 ? "ok" : code === 2 ? "error" : "unset";
        }
        return true;
      }
      case "otel.status_description":
        this.#ownMessage = textOf(value);
        return true;
      case "error":
        this.#hasError = true;
        return true;
      case "http.status_code": {
        const code = int32Of(value);
        if (code !== undefined) {
          this.#http = code >= 100 && code < 400 ? "unset" : "error";
        }
        return false;
      }
      case "http.status_message":
        this.#httpMessage = textOf(value);
        return false;
      default:
        return false;
    }
  }

  /** The status; valid after all annotations were passed to `take`. */
  get status(): Status {
    if (this.#census !== undefined) {
      return { code: this.#census, message: this.#censusMessage };
    }
    if (this.#own !== undefined) {
      return { code: this.#own, message: this.#ownMessage };
    }
    if (this.#hasError) {
      return { code: "error", message: this.#censusMessage || this.#ownMessage };
    }
    if (this.#http !== undefined) {
      return { code: this.#http, message: this.#httpMessage };
    }
    return { code: "unset", message: "" };
  }
}

/** The text of a value; "" for a value of another type. */
function textOf(value: AttributeValue): string {
  return value.type === "string" ? value.value : "";
}

/** A 32-bit number, given as an int or as its decimal text; undefined for other values. */
function int32Of(value: AttributeValue): number | undefined {
  let int: bigint;
  if (value.type === "int") {
    int = value.value;
  } else if (value.type === "string" && /^[+-]?\d{1,20}$/.test(value.value)) {
    int = BigInt(value.value.replace("+", ""));
  } else {
    return undefined;
  }
  return BigInt.asIntN(32, int) === int ? Number(int) : undefined;
}
