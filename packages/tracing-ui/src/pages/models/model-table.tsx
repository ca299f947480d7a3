import { CutName } from "ui-kit/components/cut-name.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { durationText } from "ui-kit/format/format-duration.ts";
import type { GenAiFigures } from "../../api/gen-ai.ts";
import type { GenAiSubject } from "../../api/gen-ai-subjects.ts";
import { money } from "../../format/money.ts";
import type { ModelsAddress } from "./models-address.ts";

type Group = GenAiFigures["groups"][number];
type Sort = ModelsAddress["sort"];

/** A column: its order, its head, and its text; "first" has no order. */
type Column = readonly [key: Sort | "first", head: string, text: (group: Group, currency: string) => string];

const durationOr = (value: number | null) => (value === null ? "–" : durationText(value));

const columns: readonly Column[] = [
  ["calls", "Calls", ({ calls }) => formatCount(calls)],
  ["errors", "Errors", ({ errors }) => formatCount(errors)],
  ["input", "Tokens in", ({ inputTokens }) => formatCount(inputTokens)],
  ["output", "Tokens out", ({ outputTokens }) => formatCount(outputTokens)],
  ["cost", "Cost", ({ cost }, currency) => (cost === null ? "–" : money(cost, currency))],
  ["p50", "p50", ({ p50 }) => durationOr(p50)],
  ["p95", "p95", ({ p95 }) => durationOr(p95)],
  ["first", "First token", ({ firstTokenP50 }) => durationOr(firstTokenP50)],
];

/** The inputs of {@link ModelTable}. */
interface ModelTableProps {
  data: GenAiFigures;
  by: GenAiSubject;
  sort: Sort;
  onSort: (sort: Sort) => void;
  /** Called with the name of a clicked row. */
  onPick: (value: string) => void;
}

/** The groups with their figures. A click on a header sorts; a click on a name narrows the page down to it. */
export function ModelTable({ data, by, sort, onSort, onPick }: ModelTableProps) {
  const head = (key: Sort, text: string) => (
    <button type="button" className="rate-sort" onClick={() => onSort(key)}>
      {text}
    </button>
  );
  return (
    <table aria-label={`Calls by ${by.replace("-", " ")}`} className="rates models">
      <thead>
        <tr>
          <th scope="col" className="rate-name" aria-sort={sort === "value" ? "ascending" : undefined}>
            {head("value", "Name")}
          </th>
          {columns.map(([key, text]) => (
            <th
              key={key}
              scope="col"
              className={`models-${key}${key === sort ? " models-sorted" : ""}`}
              aria-sort={key === sort ? "descending" : undefined}
            >
              {key === "first" ? (
                <span title="Median of the time to the first token">{text}</span>
              ) : (
                head(key, text)
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {data.groups.map((group) => (
          <tr key={group.value ?? ""}>
            <td className="rate-name cut">
              {group.value === null ? (
                <span className="muted">no {by.replace("-", " ")} named</span>
              ) : (
                <button type="button" className="models-name" onClick={() => onPick(group.value ?? "")}>
                  <CutName>{group.value}</CutName>
                </button>
              )}
            </td>
            {columns.map(([key, , text]) => (
              <td key={key} className={`mono models-${key}${key === sort ? " models-sorted" : ""}`}>
                {text(group, data.currency)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
