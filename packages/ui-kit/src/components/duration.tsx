import { formatDuration } from "../format/format-duration.ts";

/**
 * A duration, its unit lighter than its figure: `12.3 ms`.
 * @param us   microseconds
 * @param sign text before the figure: `+`, `−` or ""
 */
export function Duration({ us, sign = "" }: { us: number; sign?: string }) {
  const { figure, unit } = formatDuration(us);
  return (
    <span className="mono">
      {sign}
      {figure}
      {unit !== "" && <span className="unit">{`\u00a0${unit}`}</span>}
    </span>
  );
}
