import * as z from "zod/mini";

/**
 * Intervals of automatic refresh: value in the address, text of the menu, milliseconds. ""
 * means no refresh.
 */
const pauses = [
  ["", "Off", 0],
  ["5s", "5 s", 5_000],
  ["10s", "10 s", 10_000],
  ["30s", "30 s", 30_000],
  ["1m", "1 min", 60_000],
  ["5m", "5 min", 300_000],
] as const;

/** The refresh interval in an address. */
export const refreshField = z.catch(z.enum(pauses.map(([value]) => value)), "");
/** A refresh interval, as written in an address. */
export type Refresh = z.infer<typeof refreshField>;

/** The interval in milliseconds for queries; false for none. Hidden pages do not refetch. */
export function refetchInterval(refresh: Refresh): number | false {
  return pauses.find(([value]) => value === refresh)?.[2] || false;
}

/** The menu that chooses the interval of automatic refresh. */
export function RefreshSelect(props: { value: Refresh; onChange: (value: Refresh) => void }) {
  return (
    <select
      className="field"
      aria-label="Refresh"
      title="Ask again by itself"
      value={props.value}
      onChange={(event) => props.onChange(event.target.value as Refresh)}
    >
      {pauses.map(([value, label]) => (
        <option key={value} value={value}>
          {value === "" ? "Refresh: off" : `Every ${label}`}
        </option>
      ))}
    </select>
  );
}
