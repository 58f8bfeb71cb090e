/** The same graph with nothing but sigma: what the studio's picture is measured against. */
import Graph from 'graphology';
import Sigma from 'sigma';

const { nodes, edges } = JSON.parse(document.getElementById('graph')?.textContent ?? '{}') as {
  nodes: [string, number, number][];
  edges: [string, string][];
};
const graph = new Graph({ multi: true, type: 'directed' });
for (const [key, x, y] of nodes) graph.addNode(key, { x, y, size: 4, color: '#0f766e', label: key });
for (const [from, to] of edges) graph.addEdge(from, to, { size: 1, color: '#a3b3aa' });
const place = document.getElementById('place');
if (place) new Sigma(graph, place);
