import type { Outcome } from "./migration.ts";
import { pathKey, type Setting, type SettingValue } from "./source-config.ts";

/** Policies from the OpenTelemetry Collector's processor `tail_sampling`, and the outcome of each policy. */
export interface MigratedPolicies {
  readonly policies: readonly Readonly<Record<string, unknown>>[];
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

/** Settings of one policy by their path inside the policy: `latency.threshold_ms`. */
type Fields = ReadonlyMap<string, Setting["value"]>;

/** A setting as a list; a single value gives a list of one, an absent or empty setting an empty list. */
const list = (value: Setting["value"] | undefined): readonly SettingValue[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value as SettingValue];

/**
 * Converts a policy. Both products keep a trace if at least one policy keeps it. @returns the policy, or the reason why
 * it cannot be migrated
 */
function policyOf(fields: Fields): Readonly<Record<string, unknown>> | string {
  const of = (name: string) => fields.get(name);
  const type = String(of("type"));
  switch (type) {
    case "always_sample":
      return { type: "probability", ratio: 1 };
    case "probabilistic":
      return {
        type: "probability",
        ratio: Math.min(1, Number(of("probabilistic.sampling_percentage") ?? 0) / 100),
      };
    case "latency":
      return of("latency.upper_threshold_ms") === undefined
        ? { type: "latency", threshold: `${String(of("latency.threshold_ms"))}ms` }
        : "an upper limit of durations has no counterpart";
    case "status_code": {
      const codes = list(of("status_code.status_codes")).map(String);
      return codes.length === 1 && codes[0] === "ERROR"
        ? { type: "error" }
        : "only traces with errors can be chosen by their status";
    }
    case "string_attribute": {
      const key = String(of("string_attribute.key"));
      const values = list(of("string_attribute.values"));
      if (
        of("string_attribute.enabled_regex_matching") === true ||
        of("string_attribute.invert_match") === true
      ) {
        return "values are compared whole: no expressions, nothing inverted";
      }
      return { type: "attribute", key, ...(values.length === 0 ? {} : { values }) };
    }
    case "boolean_attribute":
      return {
        type: "attribute",
        key: String(of("boolean_attribute.key")),
        values: [String(of("boolean_attribute.value"))],
      };
    default:
      return `policies of the type ${type} have no counterpart`;
  }
}

/**
 * Turns `policies: [{name: slow, type: latency, latency: {threshold_ms: 500}}]` into
 * `{name: slow, type: latency, threshold: 500ms}`.
 * @param settings settings of one processor, with full paths
 */
export function tailPoliciesOf(settings: readonly Setting[]): MigratedPolicies {
  const byPolicy = new Map<string, Map<string, Setting["value"]>>();
  for (const { path, value } of settings) {
    const at = path.indexOf("policies");
    if (at === 2 && path.length > at + 1) {
      const key = pathKey(path.slice(0, at + 2));
      const fields = byPolicy.get(key) ?? new Map<string, Setting["value"]>();
      byPolicy.set(key, fields.set(path.slice(at + 2).join("."), value));
    }
  }
  const policies: Record<string, unknown>[] = [];
  const outcomes = new Map<string, Outcome>();
  for (const [key, fields] of byPolicy) {
    const policy = policyOf(fields);
    if (typeof policy === "string") {
      outcomes.set(key, { kind: "lacking", note: policy });
      continue;
    }
    const name = String(fields.get("name") ?? "")
      .replaceAll(/[^\w.-]/g, "-")
      .slice(0, 64);
    policies.push(name === "" ? policy : { name, ...policy });
    outcomes.set(key, {
      kind: "written",
      options: [
        { process: "tracing-collector", name: "sampling.tail.policies-file", value: "tail-policies.yaml" },
      ],
    });
  }
  // A probability keeps a share of the traces that earlier policies did not keep, so it comes last.
  const isShare = ({ type }: Record<string, unknown>) => type === "probability";
  return { policies: [...policies.filter((one) => !isShare(one)), ...policies.filter(isShare)], outcomes };
}
