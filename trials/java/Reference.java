package org.apache.tinkerpop.gremlin.tinkergraph.structure;

import java.io.*;
import java.math.*;
import java.nio.charset.StandardCharsets;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.atn.PredictionMode;
import org.apache.commons.configuration2.BaseConfiguration;
import org.apache.tinkerpop.gremlin.language.grammar.*;
import org.apache.tinkerpop.gremlin.process.traversal.*;
import org.apache.tinkerpop.gremlin.process.traversal.dsl.graph.GraphTraversalSource;
import org.apache.tinkerpop.gremlin.process.traversal.step.Grouping;
import org.apache.tinkerpop.gremlin.process.traversal.step.filter.FilterStep;
import org.apache.tinkerpop.gremlin.process.traversal.step.util.*;
import org.apache.tinkerpop.gremlin.process.traversal.strategy.AbstractTraversalStrategy;
import org.apache.tinkerpop.gremlin.process.traversal.traverser.TraverserRequirement;
import org.apache.tinkerpop.gremlin.process.traversal.traverser.util.TraverserSet;
import org.apache.tinkerpop.gremlin.process.traversal.util.TraversalHelper;
import org.apache.tinkerpop.gremlin.structure.*;
import org.apache.tinkerpop.gremlin.util.function.HashMapSupplier;
import org.apache.tinkerpop.shaded.jackson.databind.*;
import org.apache.tinkerpop.shaded.jackson.databind.node.*;

/**
 * Answers traversals as Gremlin Server would over TinkerGraph, in several forms, one JSON line for each JSON line.
 *
 * It is in TinkerGraph's package to reach the maps of a graph: they are replaced by maps in an order of our choice, for
 * TinkerGraph keeps elements in the order of their hashes, which would look like a promise.
 *
 * Request: {"graph": …, "text": …, "forms": [{"order": seed or 0, "optimised": bool,
 *           "merging": where equal traversers are merged,
 *            "exact": whether a limit() that has enough asks for no more,
 *            "mended": whether it runs without the faults that Mended.java names,
 *            "branches": ONE_BY_ONE or AT_ONCE, if they are to take traversers so whatever is inside}, …], "dump": bool, "millis": n,
 *           "bulks": a text, if the largest bulk before each of its steps is asked for}
 * Answer: {"forms": [{"results": […]} or {"error": …} or {"late": true}, with "graph": {…} if dumped], "bulks": [n, …]}
 */
public final class Reference {
    private static final int MOST_RESULTS = 4000;
    /** How a traversal begins that runs on a graph computer: the grammar has no word for it. */
    private static final String ON_A_COMPUTER = "g.withComputer().";
    /** How a traversal begins that reads or writes a file. */
    private static final String OF_A_FILE = "g.io(";
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        System.setOut(System.err);
        Watchdog watchdog = new Watchdog();
        watchdog.start();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonNode request = JSON.readTree(line);
            ArrayNode forms = JSON.createArrayNode();
            ObjectNode answered = null;
            for (JsonNode form : request.get("forms")) {
                // Where one takes too long, nothing is compared: so nobody need wait for the others.
                boolean late = answered != null && answered.has("late");
                answered = late ? answered.deepCopy() : run(request, form, watchdog);
                forms.add(answered);
            }
            ObjectNode answer = JSON.createObjectNode();
            answer.set("forms", forms);
            if (request.has("bulks")) answer.set("bulks", bulks(request, watchdog));
            out.println(JSON.writeValueAsString(answer));
            out.flush();
        }
        System.exit(0);
    }

    private static ObjectNode run(JsonNode request, JsonNode form, Watchdog watchdog) {
        ObjectNode answer = JSON.createObjectNode();
        long order = form.get("order").asLong();
        HashMapSupplier.order = order;
        TraverserSet.merging = TraverserSet.Merging.valueOf(form.get("merging").asText());
        FilterStep.exact = form.path("exact").asBoolean();
        boolean mended = form.path("mended").asBoolean();
        Grouping.MENDED[0] = mended;
        String text = request.get("text").asText();
        TinkerGraph graph = Loader.load(request.get("graph"), order, text.startsWith(OF_A_FILE));
        GraphTraversalSource g = graph.traversal();
        if (text.startsWith(ON_A_COMPUTER)) {
            text = "g." + text.substring(ON_A_COMPUTER.length());
            g = g.withComputer();
        } else {
            if (!form.get("optimised").asBoolean()) g = unoptimised(g);
            g = g.withStrategies(new Mended(order, mended, form.path("branches").asText()));
        }
        watchdog.expect(Thread.currentThread(), request.get("millis").asLong());
        try {
            ArrayNode results = JSON.createArrayNode();
            Object traversal = Script.of(text).on(g);
            Iterator<?> each = traversal instanceof Iterator ? (Iterator<?>) traversal : List.of(traversal).iterator();
            boolean all = true;
            while (each.hasNext()) {
                if (results.size() >= MOST_RESULTS || Thread.interrupted()) { all = false; break; }
                results.add(Canonical.of(each.next()));
            }
            if (all) answer.set("results", results);
            else answer.put("late", true);
        } catch (Throwable t) {
            if (watchdog.isLate() || t instanceof OutOfMemoryError || t instanceof StackOverflowError) answer.put("late", true);
            else answer.put("error", rootOf(t));
        } finally {
            watchdog.done();
        }
        if (request.get("dump").asBoolean() && answer.has("results")) answer.set("graph", Canonical.of(graph));
        return answer;
    }

    /**
     * The largest bulk that enters each step of a traversal, without strategies that only make it quicker: traversers are
     * merged where the traversal says so.
     */
    private static ArrayNode bulks(JsonNode request, Watchdog watchdog) {
        TraverserSet.merging = TraverserSet.Merging.EVERYWHERE;
        FilterStep.exact = false;
        Grouping.MENDED[0] = false;
        Probes probes = new Probes();
        GraphTraversalSource g = unoptimised(Loader.load(request.get("graph"), 0, false).traversal()).withStrategies(probes);
        watchdog.expect(Thread.currentThread(), request.get("millis").asLong());
        try {
            Traversal.Admin<?, ?> traversal = ((Traversal<?, ?>) Script.of(request.get("bulks").asText()).on(g)).asAdmin();
            probes.begin(traversal);
            for (int results = 0; traversal.hasNext() && results < MOST_RESULTS; results++) traversal.nextTraverser();
        } catch (Throwable t) {
            // What was seen until then counts.
        } finally {
            watchdog.done();
        }
        ArrayNode bulks = JSON.createArrayNode();
        for (Probe<?> probe : probes.all) bulks.add(probe.largest);
        return bulks;
    }

    /**
     * A script as GremlinLangScriptEngine takes it, but parsed once, however often it is run: parsing takes most of the time of
     * a small traversal.
     */
    private static final class Script {
        /** Scripts between two times that the parser forgets what it has learnt, which else fills the memory. */
        private static final int MEMORY = 20000;
        private static Script last = new Script("");
        private static int scripts = 0;
        private final String text;
        private GremlinParser.QueryListContext tree;

        private Script(String text) { this.text = text; }

        static Script of(String text) {
            if (!last.text.equals(text)) last = new Script(text);
            return last;
        }

        Object on(GraphTraversalSource g) {
            if (tree == null) tree = parsed();
            Map<String, Object> variables = new HashMap<>();
            variables.put("g", g);
            try {
                return new GremlinAntlrToJava(g, new VariableResolver.DirectVariableResolver(variables)).visit(tree);
            } catch (ClassCastException e) {
                throw new GremlinParserException("Failed to interpret Gremlin query: " + e.getMessage());
            }
        }

        /** As GremlinQueryParser does it: the quick way, and if that fails the thorough one. */
        private GremlinParser.QueryListContext parsed() {
            try {
                return parser(PredictionMode.SLL).queryList();
            } catch (Exception notSo) {
                try {
                    return parser(PredictionMode.LL).queryList();
                } catch (Exception e) {
                    throw new GremlinParserException("Failed to interpret Gremlin query: " + e.getMessage());
                }
            }
        }

        private GremlinParser parser(PredictionMode mode) {
            GremlinErrorListener listener = new GremlinErrorListener();
            GremlinLexer lexer = new GremlinLexer(CharStreams.fromString(text));
            lexer.removeErrorListeners();
            lexer.addErrorListener(listener);
            GremlinParser parser = new GremlinParser(new CommonTokenStream(lexer));
            parser.getInterpreter().setPredictionMode(mode);
            if (++scripts % MEMORY == 0) parser.getInterpreter().clearDFA();
            parser.removeErrorListeners();
            parser.addErrorListener(listener);
            return parser;
        }
    }

    /** Puts a probe before each step of the outermost traversal. */
    private static final class Probes extends AbstractTraversalStrategy<TraversalStrategy.FinalizationStrategy>
            implements TraversalStrategy.FinalizationStrategy {
        final List<Probe<?>> all = new ArrayList<>();
        private final Map<Step<?, ?>, Probe<?>> before = new IdentityHashMap<>();

        @SuppressWarnings({"rawtypes", "unchecked"})
        void begin(Traversal.Admin<?, ?> traversal) {
            for (Step<?, ?> step : traversal.getSteps()) {
                Probe<?> probe = new Probe(traversal);
                all.add(probe);
                before.put(step, probe);
            }
            traversal.applyStrategies();
        }

        @Override
        @SuppressWarnings({"rawtypes", "unchecked"})
        public void apply(Traversal.Admin<?, ?> traversal) {
            if (!traversal.isRoot()) return;
            for (Step<?, ?> step : new ArrayList<>(traversal.getSteps())) {
                Probe<?> probe = before.get(step);
                if (probe != null && !(step.getPreviousStep() instanceof EmptyStep))
                    TraversalHelper.insertBeforeStep((Step) probe, (Step) step, (Traversal.Admin) traversal);
            }
        }
    }

    /** Lets everything pass, and remembers the largest bulk. */
    private static final class Probe<S> extends AbstractStep<S, S> {
        long largest = 0;

        Probe(Traversal.Admin<?, ?> traversal) { super(traversal); }

        @Override
        protected Traverser.Admin<S> processNextStart() {
            Traverser.Admin<S> traverser = starts.next();
            largest = Math.max(largest, traverser.bulk());
            return traverser;
        }

        @Override
        public Set<TraverserRequirement> getRequirements() {
            return Collections.singleton(TraverserRequirement.BULK);
        }
    }

    private static String rootOf(Throwable t) {
        while (t.getCause() != null && t.getCause() != t) t = t.getCause();
        return t.getClass().getSimpleName() + ": " + t.getMessage();
    }

    /** Without every strategy that only makes a traversal quicker. */
    @SuppressWarnings("unchecked")
    private static GraphTraversalSource unoptimised(GraphTraversalSource g) {
        List<Class<? extends TraversalStrategy>> optional = new ArrayList<>();
        for (TraversalStrategy<?> strategy : g.getStrategies().toList()) {
            // It makes executable steps of placeholders, so a traversal does not run without it.
            if (strategy.getClass().getSimpleName().equals("GValueReductionStrategy")) continue;
            if (strategy instanceof TraversalStrategy.OptimizationStrategy
                    || strategy instanceof TraversalStrategy.ProviderOptimizationStrategy)
                optional.add((Class<? extends TraversalStrategy>) strategy.getClass());
        }
        return g.withoutStrategies(optional.toArray(new Class[0]));
    }

    /**
     * Interrupts what takes too long; what does not end even then ends the process. It counts its own naps: a process that is
     * stopped for a while, or has to wait for a core, is not late. One that does nothing but look for free memory has few naps, so
     * a tenth of the time between two counts as well.
     */
    private static final class Watchdog extends Thread {
        private static final long NAP = 20;
        private Thread watched;
        private long left;
        private boolean late;

        Watchdog() { setDaemon(true); }

        synchronized void expect(Thread thread, long millis) {
            watched = thread;
            left = millis;
            late = false;
        }

        synchronized boolean isLate() { return late; }

        synchronized void done() {
            watched = null;
            Thread.interrupted();
        }

        @Override
        public void run() {
            try {
                for (long before = System.nanoTime(); ; ) {
                    Thread.sleep(NAP);
                    long now = System.nanoTime(), passed = (now - before) / 1_000_000;
                    before = now;
                    synchronized (this) {
                        left -= Math.max(NAP, passed / 10);
                        if (watched == null || left > 0) continue;
                        if (left < -5000) Runtime.getRuntime().halt(3);
                        late = true;
                        watched.interrupt();
                    }
                }
            } catch (InterruptedException ended) {
                // The process ends.
            }
        }
    }

    /** Graphs from their description, their elements in the order of a seed; 0 is TinkerGraph's own order. */
    private static final class Loader {
        static TinkerGraph load(JsonNode spec, long seed, boolean lists) {
            BaseConfiguration configuration = new BaseConfiguration();
            // As in the server's own tinkergraph-empty.properties.
            String ids = (seed >> 1 & 1) == 0 ? "LONG" : Descending.class.getName();
            for (String of : new String[] {"vertexIdManager", "edgeIdManager", "vertexPropertyIdManager"})
                configuration.setProperty("gremlin.tinkergraph." + of, ids);
            if (lists) configuration.setProperty("gremlin.tinkergraph.defaultVertexPropertyCardinality", "list");
            TinkerGraph graph = TinkerGraph.open(configuration);
            // What it gives out itself is told from what we gave.
            graph.currentId.set(1_000_000 + 1000 * (seed & 0xff));
            Comparator<Object> order = seed == 0 ? null : new Shuffled(seed);
            if (order != null) {
                graph.vertices = new ShuffledVertices(order);
                graph.edges = new ShuffledGraphEdges(order);
            }
            for (JsonNode v : shuffled(spec.get("vertices"), seed)) {
                TinkerVertex vertex = (TinkerVertex) graph.addVertex(T.id, v.get(0).asLong(), T.label, v.get(1).asText());
                for (JsonNode p : v.get(2)) {
                    VertexProperty<Object> property =
                        vertex.property(VertexProperty.Cardinality.list, p.get(0).asText(), scalar(p.get(1)));
                    for (JsonNode meta : p.get(2)) property.property(meta.get(0).asText(), scalar(meta.get(1)));
                }
            }
            for (JsonNode e : shuffled(spec.get("edges"), seed)) {
                Vertex from = graph.vertices(e.get(2).asLong()).next(), to = graph.vertices(e.get(3).asLong()).next();
                Edge edge = from.addEdge(e.get(1).asText(), to, T.id, e.get(0).asLong());
                for (JsonNode p : e.get(4)) edge.property(p.get(0).asText(), scalar(p.get(1)));
            }
            return graph;
        }

        /** In another order, for ids that the graph gives out are part of its order. */
        private static List<JsonNode> shuffled(JsonNode all, long seed) {
            List<JsonNode> list = new ArrayList<>();
            all.forEach(list::add);
            if (seed != 0) Collections.shuffle(list, new Random(seed));
            return list;
        }

        private static Collection<Object> into(Collection<Object> members, JsonNode values) {
            for (JsonNode member : values) members.add(scalar(member));
            return members;
        }

        private static Object scalar(JsonNode value) {
            String text = value.get(1).asText();
            switch (value.get(0).asText()) {
                case "i": return Integer.valueOf(text);
                case "l": return Long.valueOf(text);
                case "f": return Float.valueOf(text);
                case "d": return Double.valueOf(text);
                case "b": return Boolean.valueOf(text);
                case "t": return OffsetDateTime.parse(text);
                case "byte": return Byte.valueOf(text);
                case "short": return Short.valueOf(text);
                case "biginteger": return new BigInteger(text);
                case "bigdecimal": return new BigDecimal(text);
                case "char": return text.charAt(0);
                case "uuid": return UUID.fromString(text);
                case "nanos": return Duration.ofNanos(Long.parseLong(text));
                case "list": return into(new ArrayList<>(), value.get(1));
                case "set": return into(new LinkedHashSet<>(), value.get(1));
                case "map": {
                    Map<Object, Object> map = new LinkedHashMap<>();
                    for (JsonNode entry : value.get(1)) map.put(scalar(entry.get(0)), scalar(entry.get(1)));
                    return map;
                }
                default: return text;
            }
        }
    }

    /** Gives out ids as LONG does, but smaller and smaller ones: which of two is greater is nobody's promise. */
    static final class Descending implements AbstractTinkerGraph.IdManager<Long> {
        private static final AbstractTinkerGraph.DefaultIdManager LONG = AbstractTinkerGraph.DefaultIdManager.LONG;

        Descending() {}

        @Override
        public Long getNextId(AbstractTinkerGraph graph) {
            while (true) {
                long id = graph.currentId.decrementAndGet();
                if (!graph.hasVertex(id) && !graph.hasEdge(id) && !graph.hasVertexProperty(id)) return id;
            }
        }

        @Override
        public Long convert(Object id) { return (Long) LONG.convert(id); }

        @Override
        public boolean allow(Object id) { return LONG.allow(id); }
    }

    /** An arbitrary total order of ids, keys, labels and elements. */
    private static final class Shuffled implements Comparator<Object> {
        private final long seed;

        Shuffled(long seed) { this.seed = seed; }

        @Override
        public int compare(Object a, Object b) {
            String left = text(a), right = text(b);
            int order = Long.compare(mix(left), mix(right));
            return order != 0 ? order : left.compareTo(right);
        }

        private static String text(Object o) {
            return o instanceof Element ? ((Element) o).id().toString() : String.valueOf(o);
        }

        private long mix(String text) {
            long z = text.hashCode() * 0x9E3779B97F4A7C15L + seed * 0xD1B54A32D192ED03L;
            z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
            z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
            return z ^ (z >>> 31);
        }
    }

    /** Vertices, also those that a traversal adds: what each has is in that order, too. */
    private static final class ShuffledVertices extends ConcurrentSkipListMap<Object, Vertex> {
        private final transient Comparator<Object> order;

        ShuffledVertices(Comparator<Object> order) {
            super(order);
            this.order = order;
        }

        @Override
        public Vertex put(Object id, Vertex added) {
            TinkerVertex vertex = (TinkerVertex) added;
            Map<String, List<VertexProperty>> properties = new ConcurrentSkipListMap<>(order);
            if (vertex.properties != null) properties.putAll(vertex.properties);
            vertex.properties = properties;
            vertex.outEdges = new ShuffledEdges(order);
            vertex.inEdges = new ShuffledEdges(order);
            return super.put(id, added);
        }
    }

    /** The same of edges. */
    private static final class ShuffledGraphEdges extends ConcurrentSkipListMap<Object, Edge> {
        private final transient Comparator<Object> order;

        ShuffledGraphEdges(Comparator<Object> order) {
            super(order);
            this.order = order;
        }

        @Override
        public Edge put(Object id, Edge added) {
            TinkerEdge edge = (TinkerEdge) added;
            Map<String, Property> properties = new ConcurrentSkipListMap<>(order);
            if (edge.properties != null) properties.putAll(edge.properties);
            edge.properties = properties;
            return super.put(id, added);
        }
    }

    /** The edges of a vertex by label; sets of them are in order whoever makes them. */
    private static final class ShuffledEdges extends TreeMap<String, Set<Edge>> {
        private final transient Comparator<Object> order;

        ShuffledEdges(Comparator<Object> order) {
            super(order);
            this.order = order;
        }

        @Override
        public Set<Edge> put(String label, Set<Edge> edges) {
            // TinkerGraph adds to the set it has just put here, so it must find ours when it asks again; the first edge
            // of a label is put twice.
            return super.put(label, edges);
        }

        @Override
        public Set<Edge> get(Object label) {
            Set<Edge> edges = super.get(label);
            if (edges == null && label instanceof String) {
                edges = new TreeSet<>(order);
                super.put((String) label, edges);
            }
            return edges;
        }
    }

    /** Answers as typed JSON. */
    private static final class Canonical {
        static ArrayNode of(Object o) {
            if (o == null) return scalar("null", "null");
            if (o instanceof Boolean) return scalar("boolean", o);
            if (o instanceof Byte) return scalar("byte", o);
            if (o instanceof Short) return scalar("short", o);
            if (o instanceof Integer) return scalar("int", o);
            if (o instanceof Long) return scalar("long", o);
            if (o instanceof BigInteger) return scalar("biginteger", o);
            if (o instanceof BigDecimal) return scalar("bigdecimal", o);
            if (o instanceof Float) return scalar("float", Double.doubleToLongBits(((Float) o).doubleValue()));
            if (o instanceof Double) return scalar("double", Double.doubleToLongBits((Double) o));
            if (o instanceof Character) return scalar("char", o);
            if (o instanceof String) return scalar("string", o);
            if (o instanceof UUID) return scalar("uuid", o);
            if (o instanceof OffsetDateTime) return scalar("date", ((OffsetDateTime) o).toInstant().toEpochMilli());
            if (o instanceof Date) return scalar("date", ((Date) o).getTime());
            if (o instanceof Duration) return scalar("duration", ((Duration) o).toNanos());
            if (o instanceof T || o instanceof Direction) return scalar("token", o instanceof T ? ((T) o).getAccessor().replace("~", "") : o);
            if (o instanceof Vertex) return element("v", (Element) o);
            if (o instanceof Edge) return element("e", (Element) o);
            if (o instanceof VertexProperty) return property("vp", (Property<?>) o);
            if (o instanceof Property) return property("p", (Property<?>) o);
            if (o instanceof Path) return path((Path) o);
            if (o instanceof Map.Entry) {
                Map.Entry<?, ?> entry = (Map.Entry<?, ?>) o;
                return JSON.createArrayNode().add("map").add(all(Collections.singletonList(entry.getKey())))
                    .add(all(Collections.singletonList(entry.getValue())));
            }
            if (o instanceof Map) {
                Map<?, ?> map = (Map<?, ?>) o;
                return JSON.createArrayNode().add("map").add(all(map.keySet())).add(all(map.values()));
            }
            if (o instanceof BulkSet) {
                ArrayNode members = JSON.createArrayNode(), counts = JSON.createArrayNode();
                ((BulkSet<?>) o).forEach((member, count) -> { members.add(of(member)); counts.add(count); });
                return JSON.createArrayNode().add("bulkset").add(members).add(counts);
            }
            if (o instanceof Set) return JSON.createArrayNode().add("set").add(all((Set<?>) o));
            if (o instanceof Collection) return JSON.createArrayNode().add("list").add(all((Collection<?>) o));
            return scalar("other", o.getClass().getSimpleName() + " " + o);
        }

        private static ArrayNode scalar(String type, Object value) {
            return JSON.createArrayNode().add(type).add(String.valueOf(value));
        }

        private static ArrayNode all(Collection<?> members) {
            ArrayNode all = JSON.createArrayNode();
            for (Object member : members) all.add(of(member));
            return all;
        }

        private static ArrayNode element(String kind, Element e) {
            return JSON.createArrayNode().add(kind).add(String.valueOf(e.id())).add(e.label());
        }

        private static ArrayNode property(String kind, Property<?> p) {
            return JSON.createArrayNode().add(kind).add(p.key()).add(of(p.value()));
        }

        private static ArrayNode path(Path path) {
            ArrayNode labels = JSON.createArrayNode();
            for (Set<String> of : path.labels()) {
                ArrayNode each = JSON.createArrayNode();
                of.forEach(each::add);
                labels.add(each);
            }
            return JSON.createArrayNode().add("path").add(all(path.objects())).add(labels);
        }

        /** Everything a graph holds: [id, label, [[key, value, [[key, value]…]]…]] and [id, label, from, to, [[key, value]…]]. */
        static ObjectNode of(TinkerGraph graph) {
            ArrayNode vertices = JSON.createArrayNode(), edges = JSON.createArrayNode();
            graph.vertices().forEachRemaining(v -> {
                ArrayNode properties = JSON.createArrayNode();
                v.properties().forEachRemaining(p ->
                    properties.add(JSON.createArrayNode().add(p.key()).add(of(p.value())).add(plain(p))));
                vertices.add(JSON.createArrayNode().add(v.id().toString()).add(v.label()).add(properties));
            });
            graph.edges().forEachRemaining(e -> edges.add(JSON.createArrayNode().add(e.id().toString()).add(e.label())
                .add(e.outVertex().id().toString()).add(e.inVertex().id().toString()).add(plain(e))));
            ObjectNode all = JSON.createObjectNode();
            all.set("vertices", vertices);
            all.set("edges", edges);
            return all;
        }

        private static ArrayNode plain(Element element) {
            ArrayNode all = JSON.createArrayNode();
            element.properties().forEachRemaining(p -> all.add(JSON.createArrayNode().add(p.key()).add(of(p.value()))));
            return all;
        }
    }
}
