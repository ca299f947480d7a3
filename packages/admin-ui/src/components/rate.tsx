import { formatRate } from "ui-kit/format/format-rate.ts";

/** A rate with a lighter unit; a dash for an unknown rate. */
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
