import type { SpanKind } from "wire/model";

/** A promise about spans: which share of them is good in a sliding window. */
export interface Objective {
  /** Name, unique among the objectives of the tenant. */
  readonly name: string;
  /** Owner of the spans; "" without tenancy. */
  readonly tenant: string;
  /** Text for people, such as the reason of the objective; "" without one. */
  readonly description: string;
  /** Service of the spans. */
  readonly service: string;
  /** Names of operations; empty: all of the service. */
  readonly operations: readonly string[];
  /** Kinds of spans that count. */
  readonly kinds: readonly SpanKind[];
  /** A condition of TraceQL that spans must meet as well; "" for none. */
  readonly condition: string;
  /** Per cent of spans that must be good, above 0 and below 100. */
  readonly target: number;
  /** Length of the sliding window in milliseconds, whole hours. */
  readonly windowMs: number;
  /** Good spans take less than this many milliseconds; absent: any duration is good. */
  readonly latencyMs: number | undefined;
  /** An alert needs this many bad spans in its long window. */
  readonly minBad: number;
  /** False: no alerts are sent. */
  readonly alerts: boolean;
  /** Further labels of the alerts. */
  readonly labels: Readonly<Record<string, string>>;
}

/** An address that alerts are sent to. */
export interface AlertTargetSettings {
  /** Protocol of the target. */
  readonly kind: "alertmanager" | "webhook" | "slack";
  /** Address without user and password. */
  readonly url: string;
  /** Headers of each request, including the one for user and password. */
  readonly headers: Readonly<Record<string, string>>;
  /** Address of the page of objectives, for people who read an alert; "" when the file does not tell it. */
  readonly link: string;
}

/** All that a file of objectives says. */
export interface ObjectivesFile {
  readonly objectives: readonly Objective[];
  readonly targets: readonly AlertTargetSettings[];
}

/** The share of spans that may be bad, 0 to 1, without the noise of `1 - 0.999`. */
export function allowedShare(target: number): number {
  return Number(((100 - target) / 100).toPrecision(12));
}

/** Names an objective in maps: names may repeat between tenants. */
export function objectiveKey({ tenant, name }: Pick<Objective, "tenant" | "name">): string {
  return `${tenant}\n${name}`;
}

/** The fields that decide what is counted; objectives that differ in them share no counts. */
export function countedFields(objective: Objective): string {
  const { tenant, service, operations, kinds, condition, windowMs, latencyMs } = objective;
  return JSON.stringify([tenant, service, operations, kinds, condition, windowMs, latencyMs]);
}
