/** A service, and the centre of its box in pixels. */
export interface PlacedNode {
  name: string;
  x: number;
  y: number;
}

/** A graph with callers left of their callees. */
export interface PlacedGraph {
  /** Services and groups. */
  nodes: PlacedNode[];
  /** Calls, each with the points of its line from caller to callee, in pixels. */
  edges: { parent: string; child: string; points: { x: number; y: number }[] }[];
  /** Width of the drawing in pixels, margins included. */
  width: number;
  /** Height of the drawing in pixels, margins included. */
  height: number;
}

/** Size of a box in pixels: the layout keeps this room, and boxes are drawn in it. */
export const nodeSize = { width: 208, height: 44 };
