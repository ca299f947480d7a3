import { isArriving } from "../../trace/is-arriving.ts";
import { countFlag, spanFlag, type Trace } from "../../trace/trace.ts";

/** An oddity of a trace that readers should know before they trust the waterfall. */
export interface TraceRemark {
  /** The remark in a few words, with a count. */
  title: string;
  /** Meaning and cause of the oddity. */
  text: string;
  /** Index of an example span, −1 for none. */
  span: number;
}

/**
 * The oddities of a trace in words: missing parents, cycles, shared ids, warnings of the query service.
 * @param nowUs microseconds since 1970: parents of a trace that has just ended may still arrive
 */
export function explainTrace(trace: Trace, nowUs: number): TraceRemark[] {
  const remarks: TraceRemark[] = [];
  const add = (flag: number, title: (count: number) => string, text: string) => {
    const count = countFlag(trace, flag);
    if (count === 0) {
      return;
    }
    remarks.push({ title: title(count), text, span: trace.flags.findIndex((flags) => (flags & flag) !== 0) });
  };
  const arriving = isArriving(trace.startUs + trace.durationUs, nowUs);
  add(
    spanFlag.parentMissing,
    (count) =>
      arriving
        ? "Spans are still arriving"
        : count === 1
          ? "1 span without its parent"
          : `${count} spans without their parents`,
    "The parent that is named is not in this trace, so the span is shown as a root. That parent may still be on " +
      "its way (spans are sent when they end), may have been lost before it reached the collector, or belongs to " +
      "a program that passes trace headers on but sends no spans.",
  );
  add(
    spanFlag.cycle,
    (count) => (count === 1 ? "1 circle of parents" : `${count} circles of parents`),
    "Spans name each other as parents, so that none of them is first. The circle is cut at the earliest span, " +
      "which is shown as a root. A program makes span ids that are not unique, or sets a span as its own parent.",
  );
  add(
    spanFlag.duplicateId,
    (count) => (count === 1 ? "1 span with an id used before" : `${count} spans with ids used before`),
    "Several spans of this trace have one id. Children are shown below the first of them, which may be the wrong one.",
  );
  add(
    spanFlag.warning,
    (count) => (count === 1 ? "1 span with warnings" : `${count} spans with warnings`),
    "The warnings are in the details of these spans. Where clocks of two machines differ, a child can seem to " +
      "begin before its parent; the query service says so, and moves the child when it is allowed to.",
  );
  for (const warning of trace.warnings) {
    remarks.push({ title: "Warning of the query service", text: warning, span: -1 });
  }
  return remarks;
}
