import type { Setting, SettingValue } from "./source-config.ts";

export type TargetProcess = "tracing-collector" | "tracing-query" | "tracing-storage" | "tracing-agent";

/** An option of ours that a setting became. */
export interface TargetOption {
  readonly process: TargetProcess;
  readonly name: string;
  readonly value: string | number | boolean;
}

/** The fate of one setting. */
export type Outcome =
  | { readonly kind: "written"; readonly options: readonly TargetOption[]; readonly note?: string }
  /** It works here without a setting, or only describes how the other product is put together. */
  | { readonly kind: "needless"; readonly note: string }
  /** Nothing here does the same. */
  | { readonly kind: "lacking"; readonly note: string };

/** A setting, its outcome, and the place for people. */
export interface MigratedLine {
  readonly line: number;
  /** `receivers.otlp.protocols.grpc.endpoint` */
  readonly place: string;
  readonly outcome: Outcome;
}

export interface Migration {
  readonly product: "Jaeger 2" | "Tempo";
  /** In the order of the source. */
  readonly lines: readonly MigratedLine[];
  /** Config files of our processes, by process: option name → value. */
  readonly processes: ReadonlyMap<TargetProcess, ReadonlyMap<string, TargetOption["value"]>>;
  /** Policies for `--sampling.tail.policies-file`; absent: no tail sampling. */
  readonly tailPolicies?: readonly Readonly<Record<string, unknown>>[];
}

export type Value = SettingValue | readonly SettingValue[];

/** Turns a setting into its outcome. */
export type Answer = (value: Value, setting: Setting) => Outcome;

/** A path in which `*` is any key and a last `**` any rest, and the outcome of the settings there. */
export type Rule = readonly [pattern: string, answer: Answer];

export const needless =
  (note: string): Answer =>
  () => ({ kind: "needless", note });
export const lacking =
  (note: string): Answer =>
  () => ({ kind: "lacking", note });

export function option(process: TargetProcess, name: string, value: Value): TargetOption {
  const plain = Array.isArray(value) ? value.join(",") : value;
  return { process, name, value: (plain ?? "") as TargetOption["value"] };
}

/** The setting's value goes to one option of each process. @param convert changes it first */
export function to(
  processes: TargetProcess | readonly TargetProcess[],
  name: string,
  convert: (value: Value) => Value = (value) => value,
  note?: string,
): Answer {
  return (value) =>
    value === null || value === ""
      ? { kind: "needless", note: "is empty" }
      : {
          kind: "written",
          options: [processes].flat().map((process) => option(process, name, convert(value))),
          ...(note === undefined ? {} : { note }),
        };
}
