/** A panel opened below a row. */
export interface OpenPanel {
  row: number;
  /** Height of the panel in pixels. */
  height: number;
}

/**
 * Vertical positions of rows of equal height, with open panels of various heights below some rows. Work is in
 * proportion to the open panels, not to the rows, so 100,000 rows cost nothing.
 */
export class RowWindow {
  readonly #rows: number;
  readonly #rowHeight: number;
  readonly #panels: readonly OpenPanel[];

  /** @param panels open panels, at most one per row, in any order */
  constructor(rows: number, rowHeight: number, panels: readonly OpenPanel[]) {
    this.#rows = rows;
    this.#rowHeight = rowHeight;
    this.#panels = [...panels].sort((a, b) => a.row - b.row);
  }

  /** Pixels from the first row's top to the row's top. */
  top(row: number): number {
    let y = row * this.#rowHeight;
    for (const panel of this.#panels) {
      if (panel.row >= row) {
        break;
      }
      y += panel.height;
    }
    return y;
  }

  /** Total height of all rows and panels in pixels. */
  get height(): number {
    return this.top(this.#rows);
  }

  /** The row at a vertical position, or the row whose panel is there; within [0, rows − 1], and 0 without rows. */
  rowAt(y: number): number {
    let above = 0;
    for (const panel of this.#panels) {
      const panelTop = (panel.row + 1) * this.#rowHeight + above;
      if (y < panelTop) {
        break;
      }
      if (y < panelTop + panel.height) {
        return panel.row;
      }
      above += panel.height;
    }
    const row = Math.floor((y - above) / this.#rowHeight);
    return Math.max(0, Math.min(row, this.#rows - 1));
  }
}
