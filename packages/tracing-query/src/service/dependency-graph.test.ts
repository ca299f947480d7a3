import { expect, test } from "vitest";
import { type DependencyGraph, type DependencyGraphQuery, dependencyGraph } from "./dependency-graph.ts";

const link = (parent: string, child: string, callCount = 1) => ({ parent, child, callCount });
const chain = [link("a", "b", 5), link("b", "c", 4), link("c", "d", 3), link("x", "b", 2), link("x", "y", 1)];
const asked: DependencyGraphQuery = { hops: 2, mostNodes: 100, mostLinks: 100 };
const shown = ({ nodes, links }: DependencyGraph) =>
  links.map(({ parent, child, calls }) => `${nodes[parent]?.name}>${nodes[child]?.name} ${calls}`);

test.each([
  ["all", {}, ["a>b 5", "b>c 4", "c>d 3", "x>b 2", "x>y 1"]],
  ["one call about a service", { focus: "b", hops: 1 }, ["a>b 5", "b>c 4", "x>b 2"]],
  ["two calls from its first", { focus: "a", hops: 2 }, ["a>b 5", "b>c 4"]],
  ["a service without calls shows all", { focus: "nobody" }, ["a>b 5", "b>c 4", "c>d 3", "x>b 2", "x>y 1"]],
  ["names that begin alike, with their neighbours", { within: "x" }, ["x>b 2", "x>y 1"]],
  ["the links with most calls", { mostLinks: 2 }, ["a>b 5", "b>c 4"]],
])("%s", (_, query, expected) => {
  expect(shown(dependencyGraph(chain, { ...asked, ...query }))).toEqual(expected);
});

test("what is left out is counted", () => {
  const graph = dependencyGraph(chain, { ...asked, focus: "a", mostLinks: 1 });
  expect([graph.all, graph.chosen, graph.linksLeftOut]).toEqual([
    { services: 6, links: 5 },
    { services: 3, links: 2 },
    1,
  ]);
});

const name = (index: number) => `svc-${String(index).padStart(4, "0")}`;
const ring = Array.from({ length: 1_500 }, (_, index) => link(name(index), name((index + 1) % 1_500), 2));

test("1,500 services are groups, whose calls add up", () => {
  const graph = dependencyGraph(ring, { ...asked, mostNodes: 60 });
  expect(graph.nodes.length).toBeLessThanOrEqual(60);
  expect(graph.nodes.reduce((sum, { services }) => sum + services, 0)).toBe(1_500);
  expect(graph.links.every(({ calls }) => calls === 2)).toBe(true);
});

test("groups that all call each other keep the links with most calls, and each its own first", () => {
  const services = Array.from(
    { length: 400 },
    (_, index) => `team${String(index % 30).padStart(2, "0")}-${index}`,
  );
  const links = services.flatMap((parent, from) =>
    services.map((child, to) =>
      link(parent, child, from % 30 === 29 || to % 30 === 29 ? 1 : 2 + ((from + to) % 30)),
    ),
  );
  const graph = dependencyGraph(links, { ...asked, mostNodes: 60, mostLinks: 2_000 });
  expect(graph.links.length).toBeLessThanOrEqual(3 * graph.nodes.length);
  expect(graph.linksLeftOut).toBeGreaterThan(700);
  const named = new Set(graph.links.flatMap(({ parent, child }) => [parent, child]));
  expect(named.size).toBe(graph.nodes.length);
  const calls = graph.links.map((one) => one.calls);
  expect(calls).toEqual(calls.toSorted((a, b) => b - a));
});

test("a group is opened: its services, and groups of their neighbours", () => {
  const graph = dependencyGraph(ring, { ...asked, mostNodes: 60, within: "svc-000" });
  expect(graph.nodes.filter(({ services }) => services === 1)).toHaveLength(12);
});

test("a service in focus is no part of a group, however many it calls", () => {
  const fan = Array.from({ length: 900 }, (_, index) => link("svc-gateway", name(index)));
  const graph = dependencyGraph(fan, { ...asked, focus: "svc-gateway", mostNodes: 60 });
  expect(graph.nodes).toContainEqual({ name: "svc-gateway", services: 1 });
  expect(graph.nodes.length).toBeLessThanOrEqual(61);
});
