import { formatRate } from "ui-kit/format/format-rate.ts";

/** A rate, its unit lighter than its figure; a dash where nothing is known. */
export function Rate({ perSecond }: { perSecond: number | null | undefined }) {
  if (perSecond === null || perSecond === undefined) {
    return <span className="mono unit">–</span>;
  }
  const { figure, unit } = formatRate(perSecond);
  return (
    <span className="mono">
      {figure}
      <span className="unit">{`\u00a0${unit}`}</span>
    </span>
  );
}
