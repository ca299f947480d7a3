/** Draws one tile, in CSS pixels from 0 to `size`. The caller sets the colours first. */
type Draw = (context: CanvasRenderingContext2D, size: number) => void;

/** Gives a function that draws diagonal lines of a width in CSS pixels, falling or rising to the right. */
const stripes =
  (width: number, ...directions: readonly ("falling" | "rising")[]): Draw =>
  (context, size) => {
    context.lineWidth = width;
    context.beginPath();
    for (const direction of directions) {
      // Three lines: the diagonal, and the corners of the neighbour tiles' diagonals, so that tiles join.
      for (const shift of [-size, 0, size]) {
        const [left, right] = direction === "falling" ? [-1, size + 1] : [size + 1, -1];
        context.moveTo(left + shift, -1);
        context.lineTo(right + shift, size + 1);
      }
    }
    context.stroke();
  };

/** Tile size and drawing of each pattern, by the numbers in service-patterns.css; 0 is plain. */
const tiles: readonly (readonly [size: number, draw: Draw] | undefined)[] = [
  undefined,
  [7, stripes(2, "falling")],
  [5, (context, size) => context.fillRect(0, 0, 2, size)],
  [
    5,
    (context, size) => {
      context.arc(size / 2, size / 2, 1.4, 0, 2 * Math.PI);
      context.fill();
    },
  ],
  [3, (context, size) => context.fillRect(0, size - 1, size, 1)],
  [7, stripes(2, "rising")],
  [10, (context, size) => context.fillRect(0, 0, 5, size)],
  [6, stripes(1, "falling", "rising")],
];

/**
 * A service's pattern for a canvas.
 * @param number from patternNumber; the plain pattern gives undefined
 * @param ink    colour of the pattern, drawn over the service's colour
 * @param scale  device pixels for each CSS pixel
 */
export function patternTile(number: number, ink: string, scale: number): CanvasPattern | undefined {
  const tile = tiles[number];
  return tile === undefined ? undefined : tiled(tile[0], scale, ink, tile[1]);
}

/** The hatching of idle time, same as `.idle-gap` in minimap.css. */
export function idleTile(ground: string, ink: string, scale: number): CanvasPattern | undefined {
  return tiled(7, scale, ink, (context, size) => {
    context.fillStyle = ground;
    context.fillRect(0, 0, size, size);
    stripes(1, "rising")(context, size);
  });
}

/**
 * A repeating pattern of one drawn tile. The tile is drawn in device pixels and scaled back, so that it is
 * sharp on any screen. Undefined when the browser provides no drawing context.
 */
function tiled(size: number, scale: number, ink: string, draw: Draw): CanvasPattern | undefined {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(size * scale));
  canvas.height = canvas.width;
  const context = canvas.getContext("2d");
  if (context === null) {
    return undefined;
  }
  context.scale(canvas.width / size, canvas.width / size);
  context.fillStyle = ink;
  context.strokeStyle = ink;
  draw(context, size);
  const pattern = context.createPattern(canvas, "repeat");
  pattern?.setTransform(new DOMMatrix().scale(size / canvas.width));
  return pattern ?? undefined;
}
