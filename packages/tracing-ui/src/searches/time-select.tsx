import { offeredLookbacks } from "./offered.ts";

/** The menu for the time range up to now. @param value one of `lookbacks` */
export function TimeSelect(props: { value: string; onChange: (value: string) => void }) {
  return (
    <select
      className="field time-select"
      aria-label="Time"
      value={props.value}
      onChange={(event) => props.onChange(event.target.value)}
    >
      {offeredLookbacks().map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}
