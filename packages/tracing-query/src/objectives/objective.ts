import type { SpanKind } from "wire/model";

/** A service level objective: the share of spans in a sliding window that must be good. */
export interface Objective {
  /** Name, unique among the objectives of the tenant. */
  readonly name: string;
  /** Owner of the spans; "" without tenancy. */
  readonly tenant: string;
  /** Text for people, such as the reason of the objective; "" without one. */
  readonly description: string;
  /** Service of the spans. */
  readonly service: string;
  /** Names of operations; empty: all operations of the service. */
  readonly operations: readonly string[];
  /** Kinds of spans that count. */
  readonly kinds: readonly SpanKind[];
  /** Additional TraceQL condition for the spans; "" for none. */
  readonly condition: string;
  /** Per cent of spans that must be good, above 0 and below 100. */
  readonly target: number;
  /** Length of the sliding window in milliseconds; a multiple of an hour. */
  readonly windowMs: number;
  /** Good spans take less than this, in milliseconds; undefined: any duration is good. */
  readonly latencyMs: number | undefined;
  /** Minimum number of bad spans in the long window for an alert to fire. */
  readonly minBad: number;
  /** False: no alerts are sent. */
  readonly alerts: boolean;
  /** Additional labels of the alerts. */
  readonly labels: Readonly<Record<string, string>>;
}

/** An address that alerts are sent to. */
export interface AlertTargetSettings {
  /** Protocol of the target. */
  readonly kind: "alertmanager" | "webhook" | "slack";
  /** Address without user and password. */
  readonly url: string;
  /** Headers of each request, including `authorization` if the address had a user and a password. */
  readonly headers: Readonly<Record<string, string>>;
  /** Address of the page of objectives, for people who read an alert; "" when the file has none. */
  readonly link: string;
}

/** Content of a file of objectives. */
export interface ObjectivesFile {
  readonly objectives: readonly Objective[];
  readonly targets: readonly AlertTargetSettings[];
}

/** The share of spans that may be bad, 0 to 1, without the rounding error of `1 - 0.999`. */
export function allowedShare(target: number): number {
  return Number(((100 - target) / 100).toPrecision(12));
}

/** Map key of an objective. Two tenants may use the same name. */
export function objectiveKey({ tenant, name }: Pick<Objective, "tenant" | "name">): string {
  return `${tenant}\n${name}`;
}

/** Text of the fields that select the counted spans. Objectives whose texts differ share no counts. */
export function countedFields(objective: Objective): string {
  const { tenant, service, operations, kinds, condition, windowMs, latencyMs } = objective;
  return JSON.stringify([tenant, service, operations, kinds, condition, windowMs, latencyMs]);
}
