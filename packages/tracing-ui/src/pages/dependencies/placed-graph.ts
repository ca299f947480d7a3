/** A service, and the centre of its box in pixels. */
export interface PlacedNode {
  name: string;
  x: number;
  y: number;
}

/** A graph after layout, with callers left of their callees. */
export interface PlacedGraph {
  /** Services and groups. */
  nodes: PlacedNode[];
  /** Edges, each with the points of its line from caller to callee, in pixels. */
  edges: { parent: string; child: string; points: { x: number; y: number }[] }[];
  /** Width of the drawing in pixels, margins included. */
  width: number;
  /** Height of the drawing in pixels, margins included. */
  height: number;
}

/** Width and height of a box in pixels. The layout reserves this room, and the page draws boxes of this size. */
export const nodeSize = { width: 208, height: 44 };
