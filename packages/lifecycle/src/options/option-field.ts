import type { z } from "zod";

/** Facts about one field of an option schema, for `--help` and for code that parses texts. */
export interface OptionField {
  /** The flag's name without dashes. */
  readonly name: string;
  /** Environment variable: `COLLECTOR_OTLP_GRPC_HOST_PORT` for `collector.otlp.grpc.host-port`. */
  readonly environmentName: string;
  /** Type of the value, which determines how its text is parsed. */
  readonly kind: "boolean" | "number" | "text";
  /** A sentence for `--help`. */
  readonly description: string;
  /** Placeholder for the value in `--help`: `host:port`; "" for a flag without a value. */
  readonly placeholder: string;
  /** The default as text; undefined without a default. */
  readonly defaultText: string | undefined;
  /** The allowed values; undefined: any value of this kind. */
  readonly choices: readonly string[] | undefined;
  /** True when a repeated flag adds a line to the value instead of replacing it. */
  readonly isRepeatable: boolean;
  /** True when `print-config` must hide the value. */
  readonly isSecret: boolean;
}

/** The environment variable of a flag: upper case, with `_` for each character that is not a letter or digit. */
export function environmentNameOf(flag: string): string {
  return flag.toUpperCase().replace(/[^A-Z0-9]/g, "_");
}

/** A field's schema without defaults, optional marks and preprocessing. */
interface Unwrapped {
  readonly inner: z.core.$ZodType;
  /** The outermost default; undefined without a default. */
  readonly defaultValue: unknown;
}

function unwrap(field: z.core.$ZodType): Unwrapped {
  let inner = field;
  let defaultValue: unknown;
  for (;;) {
    const def = inner._zod.def as z.core.$ZodTypeDef & {
      innerType?: z.core.$ZodType;
      in?: z.core.$ZodType;
      defaultValue?: unknown;
    };
    if (def.type === "default" || def.type === "prefault") {
      defaultValue ??= def.defaultValue;
    }
    const next = def.innerType ?? def.in;
    if (next === undefined) {
      return { inner, defaultValue };
    }
    inner = next;
  }
}

/** Names of options whose values are secrets, also without `secret` in their schema. */
const secretName = /password|token|secret/;

/** Reads one field of an option schema. */
export function optionField(name: string, field: z.ZodType): OptionField {
  const { inner, defaultValue } = unwrap(field);
  const def = inner._zod.def as z.core.$ZodTypeDef & { entries?: Record<string, string> };
  const kind = def.type === "boolean" ? "boolean" : def.type === "number" ? "number" : "text";
  const choices = def.type === "enum" ? Object.values(def.entries ?? {}) : undefined;
  const meta = field.meta();
  const placeholder = typeof meta?.placeholder === "string" ? meta.placeholder : undefined;
  return {
    name,
    environmentName: environmentNameOf(name),
    kind,
    description: field.description ?? "",
    placeholder: placeholder ?? choices?.join("|") ?? (kind === "boolean" ? "" : kind),
    defaultText: defaultValue === undefined ? undefined : String(defaultValue),
    choices,
    isRepeatable: meta?.repeatable === true,
    isSecret: meta?.secret === true || secretName.test(name),
  };
}

/** All fields of an option schema, in the order of the schema. */
export function optionFields(options: z.ZodObject): OptionField[] {
  return Object.entries(options.shape).map(([name, field]) => optionField(name, field as z.ZodType));
}
