import "../services/rate-table.css";
import { Link } from "@tanstack/react-router";
import { CutName } from "ui-kit/components/cut-name.tsx";
import { serviceHue } from "ui-kit/theme/service-hues.ts";
import type { Objective } from "../../api/objectives.ts";
import { ServiceMark } from "../../components/service-mark.tsx";
import { budgetText, burnText, goodText, windowText } from "./budget-text.ts";
import { StateText } from "./objective-state.tsx";
import type { ObjectivesAddress } from "./objectives-address.ts";

/** Orders of the list. */
type Sort = ObjectivesAddress["sort"];

/** Objectives in rows of 24 px. @param address address of the page, for links to single objectives */
export function ObjectiveTable(props: {
  /** Objectives of this page, in the requested order. */
  objectives: readonly Objective[];
  /** Number of objectives that match the filter, as text for the table header. */
  matched: string;
  address: ObjectivesAddress;
  /** Called with the order of a clicked header. */
  onSort: (sort: Sort) => void;
}) {
  const { objectives, matched, address, onSort } = props;
  const head = (sort: Sort, className: string, label: string, title: string) => (
    <th
      scope="col"
      className={className}
      title={title}
      aria-sort={address.sort === sort ? "ascending" : "none"}
    >
      <button type="button" className="rate-sort" onClick={() => onSort(sort)}>
        {address.sort === sort && <span aria-hidden="true">↑ </span>}
        {label}
      </button>
    </th>
  );
  return (
    <table aria-label="Objectives" className="rates objectives">
      <thead>
        <tr>
          {head("name", "rate-name", `Objective (${matched})`, "From a to z")}
          {head("state", "objective-state-cell", "State", "The worst first")}
          <th scope="col" className="objective-target">
            Target
          </th>
          <th scope="col" className="objective-good" title="Share of spans in the window that are good">
            Good
          </th>
          {head("budget", "objective-budget", "Budget left", "The least first")}
          <th
            scope="col"
            className="objective-burn"
            title="Burn rate of the last hour: 1 lasts for the window"
          >
            Burn 1 h
          </th>
        </tr>
      </thead>
      <tbody>
        {objectives.map((objective) => (
          <ObjectiveRow key={objective.name} objective={objective} address={address} />
        ))}
      </tbody>
    </table>
  );
}

/** A row: name, state, target, share of good spans, remaining budget, and burn rate of the last hour. */
function ObjectiveRow({ objective, address }: { objective: Objective; address: ObjectivesAddress }) {
  return (
    <tr>
      <td className="rate-name cut">
        <Link to="/objectives" search={{ ...address, name: objective.name }}>
          <ServiceMark hue={serviceHue(objective.service)} />
          <CutName>{objective.name}</CutName>
        </Link>
      </td>
      <td className="objective-state-cell">
        <StateText {...objective} />
      </td>
      <td className="objective-target mono">
        {objective.target}&nbsp;% <span className="unit">{windowText(objective.windowHours)}</span>
      </td>
      <td className="objective-good mono">{goodText(objective.total, objective.bad, objective.target)}</td>
      <td className="objective-budget">
        <Budget left={objective.budgetLeft} isCounting={objective.state === "counting"} />
      </td>
      <td className="objective-burn mono">
        {burnText(objective.burnRates.find(({ window }) => window === "1h")?.rate)}
      </td>
    </tr>
  );
}

/**
 * A bar and a figure for the remaining budget; red when the budget is exceeded. The text "so far" is added while the
 * window's history is still being read.
 */
export function Budget({ left, isCounting }: { left: number | null; isCounting: boolean }) {
  const share = Math.max(0, left ?? 0);
  return (
    <span className="budget-cell">
      <span className="budget-bar" aria-hidden="true">
        {left !== null && <i className={share < 0.1 ? "low" : ""} style={{ width: `${100 * share}%` }} />}
      </span>
      <span className={left !== null && left < 0 ? "mono failed-text" : "mono"}>
        {budgetText(left)}
        {isCounting && left !== null && <span className="unit"> so far</span>}
      </span>
    </span>
  );
}
