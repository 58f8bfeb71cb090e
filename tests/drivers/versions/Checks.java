// Getting started, sessions and transactions with TinkerPop's Java driver and both of its formats.
// One file without a package, so that `java Checks.java` runs it.

import static org.apache.tinkerpop.gremlin.process.traversal.AnonymousTraversalSource.traversal;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.apache.tinkerpop.gremlin.driver.Client;
import org.apache.tinkerpop.gremlin.driver.Cluster;
import org.apache.tinkerpop.gremlin.driver.Result;
import org.apache.tinkerpop.gremlin.driver.exception.ResponseException;
import org.apache.tinkerpop.gremlin.driver.remote.DriverRemoteConnection;
import org.apache.tinkerpop.gremlin.process.traversal.Order;
import org.apache.tinkerpop.gremlin.process.traversal.P;
import org.apache.tinkerpop.gremlin.process.traversal.TextP;
import org.apache.tinkerpop.gremlin.process.traversal.dsl.graph.GraphTraversalSource;
import org.apache.tinkerpop.gremlin.process.traversal.dsl.graph.__;
import org.apache.tinkerpop.gremlin.structure.Edge;
import org.apache.tinkerpop.gremlin.structure.T;
import org.apache.tinkerpop.gremlin.structure.Transaction;
import org.apache.tinkerpop.gremlin.structure.Vertex;
import org.apache.tinkerpop.gremlin.util.ser.Serializers;

public class Checks {
    private interface Check {
        void run() throws Exception;
    }

    private static final Map<String, Serializers> FORMATS =
        Map.of("graphbinary1", Serializers.GRAPHBINARY_V1, "graphson3", Serializers.GRAPHSON_V3);

    private final String format;
    private final Cluster cluster;
    private final GraphTraversalSource modern;
    private final GraphTraversalSource g;

    // 3.8 would have it called with(), which 3.7 does not know.
    @SuppressWarnings("deprecation")
    private Checks(String format, Cluster cluster) {
        this.format = format;
        this.cluster = cluster;
        modern = traversal().withRemote(DriverRemoteConnection.using(cluster, "gmodern"));
        g = traversal().withRemote(DriverRemoteConnection.using(cluster, "g"));
    }

    public static void main(String[] args) {
        URI server = URI.create(System.getenv("MANGROVE_URL"));
        for (var format : FORMATS.entrySet()) {
            Cluster cluster = Cluster.build(server.getHost()).port(server.getPort())
                .serializer(format.getValue().simpleInstance()).create();
            Checks checks = new Checks(format.getKey(), cluster);
            checks.report("getting-started", checks::gettingStarted);
            checks.report("session", checks::session);
            checks.report("commit", checks::commit);
            checks.report("rollback", checks::rollback);
            checks.report("conflict", checks::conflict);
            checks.report("login", checks::login);
            cluster.close();
        }
        // The driver's threads would keep the process.
        System.exit(0);
    }

    private void report(String check, Check run) {
        long begun = System.nanoTime();
        String wrong = null;
        try {
            g.V().drop().iterate();
            run.run();
        } catch (Exception | AssertionError error) {
            error.printStackTrace();
            wrong = error.toString();
        }
        String message = (wrong == null ? "" : wrong).replaceAll("[\\p{Cntrl}\\\\\"]", " ");
        System.out.printf(Locale.ROOT,
            "check {\"check\": \"%s\", \"format\": \"%s\", \"passed\": %b, \"seconds\": %.3f, \"message\": \"%s\"}%n",
            check, format, wrong == null, (System.nanoTime() - begun) / 1e9, message);
    }

    private static void same(Object expected, Object found) {
        if (!Objects.equals(expected, found)) throw new AssertionError("expected " + expected + " and found " + found);
    }

    private long count() {
        return g.V().count().next();
    }

    private void gettingStarted() throws Exception {
        same(List.of("marko"), modern.V(1).values("name").toList());
        same(List.of("josh", "vadas"), modern.V(1).out("knows").values("name").order().toList());
        same(List.of("josh"), modern.V(1).out("knows").has("age", P.gt(30)).values("name").toList());
        same(List.of("josh", "peter"), modern.V().has("name", "marko").as("exclude").out("created").in("created")
            .where(P.neq("exclude")).values("name").order().toList());
        same(6, modern.V().as("a").out("created").in("created").as("b").where("a", P.neq("b"))
            .select("a", "b").by("name").toList().size());
        same(28.0, modern.V().has("name", P.within("vadas", "marko")).values("age").mean().next());
        same(6L, modern.V().count().next());
        same(Map.of("person", 4L, "software", 2L), modern.V().groupCount().by(T.label).next());
        same(List.of("lop", "ripple"), modern.V().group().by(T.label).by("name").next().get("software"));
        same(List.of("marko", "josh", "ripple"),
            modern.V(1).repeat(__.out()).times(2).path().by("name").next().objects());
        same(List.of("peter", "josh", "marko", "vadas"),
            modern.V().hasLabel("person").order().by("age", Order.desc).values("name").toList());
        same(Map.of("name", "marko", "made", 1L),
            modern.V(1).project("name", "made").by("name").by(__.out("created").count()).next());
        same(Map.of(T.id, 1, T.label, "person", "name", "marko", "age", 29), modern.V(1).elementMap().next());
        same(1L, modern.V().has("name", TextP.startingWith("m")).count().next());
        Vertex marko = modern.V(1).next();
        same("person", marko.label());
        same("marko", marko.value("name"));
        Edge knows = modern.E(7).next();
        same(0.5, knows.value("weight"));
        same(2, knows.inVertex().id());
        same(174, modern.V().repeat(__.both()).times(4).toList().size());
        writes();
        scripts();
    }

    private void writes() {
        Vertex marko = g.addV("person").property("name", "marko").next();
        Vertex stephen = g.addV("person").property("name", "stephen").next();
        g.V(marko).addE("knows").to(__.V(stephen)).property("weight", 0.75).iterate();
        same(0.75, g.V(marko).outE("knows").values("weight").next());
        same("stephen", g.V(marko).out("knows").values("name").next());
        g.V(marko).property("name", "Marko").iterate();
        same(List.of("Marko"), g.V(marko).values("name").toList());
        g.V().drop().iterate();
        same(0L, count());
    }

    private void scripts() throws Exception {
        Client client = cluster.connect().alias("gmodern");
        List<Result> ages = client.submit("g.V().has('name', x).values('age')", Map.of("x", "marko")).all().get();
        same(29, ages.get(0).getInt());
        refused(597, "nope", () -> client.submit("g.V().nope()").all().get());
        refused(598, "", () -> modern.with("evaluationTimeout", 50L)
            .V().repeat(__.both()).until(__.constant(1).is(2)).count().next());
        client.close();
    }

    private void session() throws Exception {
        Client client = cluster.connect(UUID.randomUUID().toString()).alias("g");
        same(5, script(client, "x = 5"));
        same(5, script(client, "v = g.addV('a').property('n', x).next(); g.V(v).values('n')"));
        same(0L, count());
        script(client, "g.tx().commit()");
        same(1L, count());
        script(client, "g.V(v).drop()");
        script(client, "g.tx().rollback()");
        same(5, script(client, "g.V(v).values('n')"));
        script(client, "g.addV('b')");
        client.close();
        same(1L, count());
    }

    /** The first result, if there is one. */
    private static Object script(Client client, String text) throws Exception {
        Result first = client.submit(text).all().get().stream().findFirst().orElse(null);
        return first == null ? null : first.getObject();
    }

    private void commit() {
        Transaction tx = g.tx();
        GraphTraversalSource gtx = tx.begin();
        Vertex ada = gtx.addV("person").property("name", "ada").next();
        gtx.V(ada).property("age", 36).iterate();
        same(List.of(36), gtx.V(ada).values("age").toList());
        same(0L, count());
        tx.commit();
        same(false, tx.isOpen());
        same(Map.of("name", List.of("ada"), "age", List.of(36)), g.V().valueMap().next());
    }

    private void rollback() {
        Transaction tx = g.tx();
        GraphTraversalSource gtx = tx.begin();
        gtx.addV("person").iterate();
        tx.rollback();
        same(0L, count());
    }

    private void conflict() throws Exception {
        g.addV("counter").property("n", 0).iterate();
        List<Transaction> transactions = List.of(g.tx(), g.tx());
        for (Transaction tx : transactions) {
            GraphTraversalSource gtx = tx.begin();
            int n = gtx.V().hasLabel("counter").<Integer>values("n").next();
            gtx.V().hasLabel("counter").property("n", n + 1).iterate();
        }
        transactions.get(0).commit();
        refused(596, "begin again", () -> transactions.get(1).commit());
        same(1, g.V().values("n").next());
    }

    private void login() throws Exception {
        URI server = URI.create(System.getenv("MANGROVE_SECURED_URL"));
        String password = System.getenv("MANGROVE_PASSWORD");
        Path trusted = Files.createTempFile("trusted", ".p12");
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (InputStream certificate = Files.newInputStream(Path.of(System.getenv("MANGROVE_CA")))) {
            store.setCertificateEntry("server", CertificateFactory.getInstance("X.509").generateCertificate(certificate));
        }
        try (OutputStream out = Files.newOutputStream(trusted)) {
            store.store(out, "trusted".toCharArray());
        }
        Cluster.Builder builder = Cluster.build(server.getHost()).port(server.getPort()).enableSsl(true)
            .trustStore(trusted.toString()).trustStorePassword("trusted").keyStoreType("PKCS12")
            .serializer(FORMATS.get(format).simpleInstance());
        Cluster known = builder.credentials("admin", password).create();
        same(6L, known.connect().alias("gmodern").submit("g.V().count()").one().getLong());
        known.close();
        Cluster unknown = builder.credentials("admin", "another one").create();
        refused(401, "incorrect", () -> unknown.connect().submit("g.V()").all().get());
        unknown.close();
        Files.delete(trusted);
    }

    private static void refused(int status, String words, Check run) throws Exception {
        try {
            run.run();
        } catch (Exception error) {
            Throwable cause = error;
            while (!(cause instanceof ResponseException) && cause.getCause() != null) cause = cause.getCause();
            if (!(cause instanceof ResponseException)) throw error;
            same(status, ((ResponseException) cause).getResponseStatusCode().getValue());
            same(true, cause.getMessage().contains(words));
            return;
        }
        throw new AssertionError("nothing was refused, although " + status + " is due");
    }
}
