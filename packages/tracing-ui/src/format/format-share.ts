/**
 * A share as a percentage: `42 %`, `3.1 %`, `< 0.1 %`. No decimals from 10 % on, one decimal below.
 * @param share 0 to 1
 */
export function formatShare(share: number): string {
  const figure = share * 100;
  if (figure >= 9.95 || figure === 0) {
    return `${Math.round(figure)} %`;
  }
  return figure < 0.1 ? "< 0.1 %" : `${figure.toFixed(1)} %`;
}
