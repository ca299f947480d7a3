import type { Locator, Page } from "playwright-core";

/** Items of the tree that stands for the canvas of the waterfall: one for each row near the view. */
export const spanItem = ".waterfall [role=treeitem]";
/** The selected one. */
export const selectedItem = `${spanItem}[aria-selected=true]`;
/** Those whose place among their peers is known. */
export const rankedItem = `${spanItem}[aria-label*=" of its peers"]`;
/** Rows that stand for a run of like siblings. */
export const runItem = `${spanItem}[aria-label*=" like spans in a row"]`;

/** Rows of the waterfall, also those that are not in view. */
export async function rowCount(page: Page): Promise<number> {
  const label = await page.getByRole("tree", { name: /^Spans, / }).getAttribute("aria-label");
  return Number(/^Spans, ([\d,]+) rows?$/.exec(label ?? "")?.[1]?.replaceAll(",", ""));
}

/** Operation of the selected row. */
export async function selectedName(page: Page): Promise<string | undefined> {
  const label = await page.locator(selectedItem).getAttribute("aria-label");
  return /^[^:]+: ([^,]*)/.exec(label ?? "")?.[1];
}

/** Pixels of a row as the canvas shows it: colours as numbers 0xrrggbb, line by line, in device pixels. */
export interface RowPixels {
  /** All of the row. */
  lines: number[][];
  /** Where the time in view begins and ends in a line. */
  laneLeft: number;
  laneRight: number;
}

/** Reads a row from the canvas, once what is asked of it is drawn. */
export async function rowPixels(item: Locator): Promise<RowPixels> {
  const { bytes, width, ...lane } = await item.evaluate(async (element) => {
    // Changes of this frame are drawn in the next.
    for (let frame = 0; frame < 2; frame += 1) {
      await new Promise(requestAnimationFrame);
    }
    const canvas = element.closest(".waterfall-rows")?.querySelector("canvas");
    const scale = document.querySelector(".waterfall-scale")?.getBoundingClientRect();
    const context = canvas?.getContext("2d");
    if (!canvas || !context || !scale) {
      throw new Error("no waterfall");
    }
    const own = canvas.getBoundingClientRect();
    const row = element.getBoundingClientRect();
    const { data } = context.getImageData(0, row.top - own.top, canvas.width, row.height);
    return {
      // One text travels from the page a hundred times as fast as a list of numbers.
      bytes: Array.from(data, (byte) => String.fromCharCode(byte)).join(""),
      width: canvas.width,
      laneLeft: Math.ceil(scale.left - own.left) + 1,
      laneRight: Math.floor(scale.right - own.left),
    };
  });
  const data = Buffer.from(bytes, "latin1");
  const lines = Array.from({ length: data.length / (4 * width) }, (_, y) =>
    Array.from({ length: width }, (_, x) => data.readUInt32BE(4 * (y * width + x)) >>> 8),
  );
  return { lines, ...lane };
}

/** The longest stretch of one colour in the middle of a row's bar, which is its bar where that is plain. @returns x and width, in pixels */
export function plainBar({ lines, laneLeft, laneRight }: RowPixels): { x: number; width: number } {
  const line = lines[11] ?? [];
  const ground = lines[0]?.[laneRight - 2];
  let best = { x: 0, width: 0 };
  for (let x = laneLeft; x < laneRight; ) {
    let end = x + 1;
    while (end < laneRight && line[end] === line[x]) {
      end += 1;
    }
    if (line[x] !== ground && end - x > best.width) {
      best = { x, width: end - x };
    }
    x = end;
  }
  return best;
}

/** How dark the darkest pixel of a line is: 0 is black, 765 white. @param y of the line in the row */
export function darkest({ lines, laneLeft, laneRight }: RowPixels, y: number): number {
  const light = (colour: number) => (colour >> 16) + ((colour >> 8) & 255) + (colour & 255);
  return Math.min(...(lines[y] ?? []).slice(laneLeft, laneRight).map(light));
}
