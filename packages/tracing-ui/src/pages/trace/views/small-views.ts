// Views that are read together: whoever opens one often opens a second one, and one file is smaller than five.
export { EventsView } from "./events-view.tsx";
export { FlameView } from "./flame-view.tsx";
export { GraphView } from "./graph-view.tsx";
export { JsonView } from "./json-view.tsx";
export { StatisticsView } from "./statistics-view.tsx";
