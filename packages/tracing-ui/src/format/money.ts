/** An amount with its currency: three significant digits below 1, else two decimals. `0.00123 USD`, `2.50 USD`. */
export function money(amount: number, currency: string): string {
  const digits =
    amount >= 1 || amount === 0 ? amount.toFixed(2) : Number(amount.toPrecision(3)).toFixed(decimals(amount));
  return `${digits} ${currency}`;
}

/** Number of decimals for three significant digits of an amount below 1. */
function decimals(amount: number): number {
  return Math.min(12, 2 - Math.floor(Math.log10(amount)));
}
