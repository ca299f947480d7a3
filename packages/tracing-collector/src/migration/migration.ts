import type { Setting, SettingValue } from "./source-config.ts";

export type TargetProcess = "tracing-collector" | "tracing-query" | "tracing-storage" | "tracing-agent";

/** An option of our processes that replaces a setting. */
export interface TargetOption {
  readonly process: TargetProcess;
  readonly name: string;
  readonly value: string | number | boolean;
}

/** The result for one setting. */
export type Outcome =
  | { readonly kind: "written"; readonly options: readonly TargetOption[]; readonly note?: string }
  /**
   * The setting is not needed: our process does the same without an option, or the setting only describes the other
   * product's structure.
   */
  | { readonly kind: "needless"; readonly note: string }
  /** Our processes do not have this function. */
  | { readonly kind: "lacking"; readonly note: string };

/** A setting, its outcome, and its position in the file. */
export interface MigratedLine {
  readonly line: number;
  /** Place of the setting: `receivers.otlp.protocols.grpc.endpoint` */
  readonly place: string;
  readonly outcome: Outcome;
}

export interface Migration {
  readonly product: "Jaeger 2" | "Tempo";
  /** The settings in the order of the source file. */
  readonly lines: readonly MigratedLine[];
  /** Config files of our processes, by process: option name → value. */
  readonly processes: ReadonlyMap<TargetProcess, ReadonlyMap<string, TargetOption["value"]>>;
  /** Policies for `--sampling.tail.policies-file`; absent: no tail sampling. */
  readonly tailPolicies?: readonly Readonly<Record<string, unknown>>[];
}

export type Value = SettingValue | readonly SettingValue[];

/** Determines the outcome of a setting. */
export type Answer = (value: Value, setting: Setting) => Outcome;

/** A path pattern with the outcome of its settings. `*` matches any key, and a final `**` any remaining path. */
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

/** Answer that writes the setting's value to one option of each process. @param convert changes the value first */
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
