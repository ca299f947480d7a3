import * as z from "zod/mini";

/**
 * Pauses after which a page asks again by itself: value in the address, text of the menu, milliseconds. ""
 * for none.
 */
const pauses = [
  ["", "Off", 0],
  ["5s", "5 s", 5_000],
  ["10s", "10 s", 10_000],
  ["30s", "30 s", 30_000],
  ["1m", "1 min", 60_000],
  ["5m", "5 min", 300_000],
] as const;

/** The pause in an address. */
export const refreshField = z.catch(z.enum(pauses.map(([value]) => value)), "");
/** A pause, as an address writes it. */
export type Refresh = z.infer<typeof refreshField>;

/** The interval in milliseconds for queries; false for none. Hidden pages do not refetch. */
export function refetchInterval(refresh: Refresh): number | false {
  return pauses.find(([value]) => value === refresh)?.[2] || false;
}

/** The menu that chooses how often the page asks again by itself. */
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
