/** One line of a report. */
export interface Figure {
  readonly label: string;
  readonly value: number;
  readonly unit: Unit;
  /** True when our value is compared with a peer's. */
  readonly compared?: boolean;
}

export type Unit = "count" | "perSecond" | "ms" | "cpuSeconds" | "mebibytes" | "bytes" | "ratio";

const digits: Readonly<Record<Unit, number>> = {
  count: 0,
  perSecond: 0,
  ms: 1,
  cpuSeconds: 2,
  mebibytes: 0,
  bytes: 1,
  ratio: 2,
};

/** The value with thousands separators, and with a number of digits that depends on the unit. */
export function formatFigure({ value, unit }: Figure): string {
  const shown = unit === "mebibytes" ? value / 1024 / 1024 : value;
  const fraction = digits[unit];
  return shown.toLocaleString("en", { minimumFractionDigits: fraction, maximumFractionDigits: fraction });
}
