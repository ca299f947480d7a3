/** A service and where the middle of its box is, in pixels. */
export interface PlacedNode {
  name: string;
  x: number;
  y: number;
}

/** A graph whose callers stand left of those that they call. */
export interface PlacedGraph {
  nodes: PlacedNode[];
  edges: { parent: string; child: string; points: { x: number; y: number }[] }[];
  width: number;
  height: number;
}

/** Size of a box, in pixels. */
export const nodeSize = { width: 208, height: 44 };
