import { burnRules } from "./burn-rates.ts";
import type { AlertTargetSettings, Objective } from "./objective.ts";
import type { FiringAlert, ObjectiveStatus } from "./objective-status.ts";

/** Name of the alerts, `alertname` in Alertmanager. */
export const alertName = "ErrorBudgetBurn";

/** An alert in the form that targets receive. */
export interface AlertMessage {
  /** Identifies the alert: all messages of one alert have the same key. */
  readonly key: string;
  /**
   * Labels that name the alert: `alertname`, `objective`, `service`, `severity`, `tenant`, and the labels of the
   * file.
   */
  readonly labels: Readonly<Record<string, string>>;
  /** Texts for people, which may change while the alert fires. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Begin of the alert, in milliseconds since the Unix epoch. */
  readonly startsMs: number;
  /** End of the alert, in milliseconds since the Unix epoch; undefined while the alert fires. */
  readonly endsMs: number | undefined;
}

/** Labels that identify an alert. They never change while the alert fires. */
function labelsOf(objective: Objective, severity: string): Record<string, string> {
  const { name, tenant, service, labels } = objective;
  return {
    ...labels,
    alertname: alertName,
    objective: name,
    service,
    severity,
    ...(tenant === "" ? {} : { tenant }),
  };
}

/** Formats a number with at most three digits after the point. */
function figure(value: number): string {
  return String(Number(value.toFixed(value < 10 ? 3 : 1)));
}

/** Texts of an alert: its burn rates, and the budget that is left. */
function annotationsOf(status: ObjectiveStatus, { severity }: FiringAlert): Record<string, string> {
  const { objective, burns, budgetLeft, counts } = status;
  const rates = burnRules
    .filter((rule) => rule.severity === severity)
    .map(({ long, short, factor }) => {
      const of = (name: typeof long) => {
        const rate = burns.get(name)?.rate;
        return `${name} ${rate === undefined ? "–" : figure(rate)}`;
      };
      return `${of(long)}, ${of(short)} (fires above ${factor})`;
    });
  const left = budgetLeft === undefined || !counts.isComplete ? "" : ` ${budgetText(budgetLeft)}.`;
  const { name, target, description } = objective;
  return {
    summary: `${name}: the error budget of ${target} % is spent too fast`,
    description: `Burn rates: ${rates.join("; ")}.${left}`,
    counted_until: new Date(counts.untilMs).toISOString(),
    ...(description === "" ? {} : { objective_description: description }),
  };
}

/**
 * Text for the share of a budget that is left, or for how many times the budget was spent.
 * @param left share that is left, at most 1
 */
export function budgetText(left: number): string {
  return left >= 0
    ? `${figure(left * 100)} % of the budget is left`
    : `The budget is used ${figure(1 - left)} times`;
}

/** The message of an alert. @param endsMs end of the alert; absent while the alert fires */
export function alertMessage(status: ObjectiveStatus, alert: FiringAlert, endsMs?: number): AlertMessage {
  const labels = labelsOf(status.objective, alert.severity);
  return {
    key: JSON.stringify(Object.entries(labels).sort()),
    labels,
    annotations: annotationsOf(status, alert),
    startsMs: alert.sinceMs,
    endsMs,
  };
}

/** Milliseconds after which Alertmanager ends an alert that was not sent again. */
const lastsMs = 300_000;

/**
 * Writes the body of a request to a target.
 *
 * ```
 * alertmanager  [{"labels": {…}, "annotations": {…}, "startsAt": "…", "endsAt": "…"}]
 * webhook       {"status": "firing", "alerts": [{"labels": {…}, "annotations": {…}, "startsAt": "…", "status": "firing"}]}
 * slack         {"text": "*page* checkout: the error budget of 99.9 % is spent too fast\n…"}
 * ```
 *
 * @param link address of the objectives page; "" when unknown
 */
export function alertBody(
  kind: AlertTargetSettings["kind"],
  messages: readonly AlertMessage[],
  nowMs: number,
  link: string,
): string {
  const time = (ms: number) => new Date(ms).toISOString();
  if (kind === "slack") {
    return JSON.stringify({ text: messages.map(slackText).join("\n") });
  }
  const alerts = messages.map(({ labels, annotations, startsMs, endsMs }) => ({
    labels,
    annotations,
    startsAt: time(startsMs),
    ...(kind === "alertmanager"
      ? { endsAt: time(endsMs ?? nowMs + lastsMs) }
      : { status: endsMs === undefined ? "firing" : "resolved", ...(endsMs && { endsAt: time(endsMs) }) }),
    ...(link === "" ? {} : { generatorURL: link }),
  }));
  const isFiring = messages.some(({ endsMs }) => endsMs === undefined);
  return JSON.stringify(
    kind === "alertmanager" ? alerts : { status: isFiring ? "firing" : "resolved", alerts },
  );
}

/** Writes one alert in Slack's form. `&`, `<` and `>` are escaped, as Slack requires. */
function slackText({ labels, annotations, endsMs }: AlertMessage): string {
  const escaped = (text = "") =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const state = endsMs === undefined ? `*${labels.severity}*` : "*resolved*";
  return `${state} ${escaped(annotations.summary)}\n${escaped(annotations.description)}`;
}
