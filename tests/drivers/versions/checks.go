// Getting started, sessions and transactions with TinkerPop's Go driver, which speaks GraphBinary only.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	gremlin "github.com/apache/tinkerpop/gremlin-go/v3/driver"
)

var (
	url    = os.Getenv("MANGROVE_URL")
	modern *gremlin.GraphTraversalSource
	g      *gremlin.GraphTraversalSource
	__     = gremlin.T__
)

// What goes wrong ends the check that it is in.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func same(expected, found any) {
	if !reflect.DeepEqual(expected, found) {
		panic(fmt.Errorf("expected %#v and found %#v", expected, found))
	}
}

func all(results []*gremlin.Result, err error) []any {
	must(err)
	values := []any{}
	for _, result := range results {
		values = append(values, result.GetInterface())
	}
	return values
}

func list(traversal *gremlin.GraphTraversal) []any { return all(traversal.ToList()) }

func done(traversal *gremlin.GraphTraversal) { must(<-traversal.Iterate()) }

func count() any { return list(g.V().Count())[0] }

// The driver keeps the lowest byte of a status only.
func refused(status int, words string, err error) {
	if err == nil {
		panic(fmt.Errorf("nothing was refused, although %d is due", status))
	}
	said := err.Error()
	if !strings.HasSuffix(said, fmt.Sprintf("statusCode: %d", status&0xff)) || !strings.Contains(said, words) {
		panic(fmt.Errorf("refused without %d and %q: %w", status, words, err))
	}
}

func main() {
	var connections []*gremlin.DriverRemoteConnection
	for _, source := range []string{"gmodern", "g"} {
		connection, err := gremlin.NewDriverRemoteConnection(url, func(settings *gremlin.DriverRemoteConnectionSettings) {
			settings.TraversalSource = source
			settings.LogVerbosity = gremlin.Off
		})
		must(err)
		defer connection.Close()
		connections = append(connections, connection)
	}
	modern = gremlin.Traversal_().With(connections[0])
	g = gremlin.Traversal_().With(connections[1])
	report("getting-started", gettingStarted)
	report("session", variables)
	report("commit", commit)
	report("rollback", rollback)
	report("conflict", conflict)
	report("login", login)
}

func login() {
	certificate, err := os.ReadFile(os.Getenv("MANGROVE_CA"))
	must(err)
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(certificate)
	count := func(password string) (any, error) {
		client, err := gremlin.NewClient(os.Getenv("MANGROVE_SECURED_URL"), func(settings *gremlin.ClientSettings) {
			settings.TraversalSource = "gmodern"
			settings.TlsConfig = &tls.Config{RootCAs: trusted}
			settings.AuthInfo = gremlin.BasicAuthInfo("admin", password)
			settings.LogVerbosity = gremlin.Off
		})
		must(err)
		defer client.Close()
		results, err := client.Submit("g.V().count()")
		if err != nil {
			return nil, err
		}
		result, _, err := results.One()
		if err != nil {
			return nil, err
		}
		return result.GetInterface(), nil
	}
	found, err := count(os.Getenv("MANGROVE_PASSWORD"))
	must(err)
	same(int64(6), found)
	if _, err := count("another one"); err == nil {
		panic("a wrong password is let in")
	}
}

func report(check string, run func()) {
	begun := time.Now()
	message := ""
	func() {
		defer func() {
			if wrong := recover(); wrong != nil {
				message = fmt.Sprint(wrong)
			}
		}()
		done(g.V().Drop())
		run()
	}()
	row, err := json.Marshal(map[string]any{"check": check, "format": "graphbinary1", "passed": message == "",
		"seconds": time.Since(begun).Seconds(), "message": message})
	must(err)
	fmt.Printf("check %s\n", row)
}

func gettingStarted() {
	same([]any{"marko"}, list(modern.V(1).Values("name")))
	same([]any{"josh", "vadas"}, list(modern.V(1).Out("knows").Values("name").Order()))
	same([]any{"josh"}, list(modern.V(1).Out("knows").Has("age", gremlin.P.Gt(30)).Values("name")))
	same([]any{"josh", "peter"}, list(modern.V().Has("name", "marko").As("exclude").Out("created").In("created").
		Where(gremlin.P.Neq("exclude")).Values("name").Order()))
	same([]any{28.0}, list(modern.V().Has("name", gremlin.P.Within("vadas", "marko")).Values("age").Mean()))
	same([]any{int64(6)}, list(modern.V().Count()))
	same([]any{map[any]any{"person": int64(4), "software": int64(2)}}, list(modern.V().GroupCount().By(gremlin.T.Label)))
	groups := list(modern.V().Group().By(gremlin.T.Label).By("name"))[0].(map[any]any)
	same([]any{"lop", "ripple"}, groups["software"])
	path := list(modern.V(1).Repeat(__.Out()).Times(2).Path().By("name"))[0].(*gremlin.Path)
	same([]any{"marko", "josh", "ripple"}, path.Objects)
	same([]any{"peter", "josh", "marko", "vadas"},
		list(modern.V().HasLabel("person").Order().By("age", gremlin.Order.Desc).Values("name")))
	same([]any{map[any]any{"name": "marko", "made": int64(1)}},
		list(modern.V(1).Project("name", "made").By("name").By(__.Out("created").Count())))
	same([]any{int64(1)}, list(modern.V().Has("name", gremlin.TextP.StartingWith("m")).Count()))
	same(6, len(list(modern.V())))
	marko := list(modern.V(1))[0].(*gremlin.Vertex)
	same([]any{int32(1), "person", 2}, []any{marko.Id, marko.Label, len(marko.Properties.([]any))})
	same(174, len(list(modern.V().Repeat(__.Both()).Times(4))))
	writes()
	scripts()
}

func writes() {
	marko := list(g.AddV("person").Property("name", "marko"))[0]
	stephen := list(g.AddV("person").Property("name", "stephen"))[0]
	done(g.V(marko).AddE("knows").To(__.V(stephen)).Property("weight", 0.75))
	same([]any{0.75}, list(g.V(marko).OutE("knows").Values("weight")))
	same([]any{"stephen"}, list(g.V(marko).Out("knows").Values("name")))
	done(g.V(marko).Property("name", "Marko"))
	same([]any{"Marko"}, list(g.V(marko).Values("name")))
	done(g.V().Drop())
	same(int64(0), count())
}

func client(source, session string) *gremlin.Client {
	client, err := gremlin.NewClient(url, func(settings *gremlin.ClientSettings) {
		settings.TraversalSource = source
		settings.Session = session
		settings.LogVerbosity = gremlin.Off
	})
	must(err)
	return client
}

func script(client *gremlin.Client, text string, bindings ...map[string]any) ([]*gremlin.Result, error) {
	results, err := client.Submit(text, bindings...)
	if err != nil {
		return nil, err
	}
	return results.All()
}

func scripts() {
	client := client("gmodern", "")
	defer client.Close()
	same([]any{int32(29)}, all(script(client, "g.V().has('name', x).values('age')", map[string]any{"x": "marko"})))
	_, err := script(client, "g.V().nope()")
	refused(597, "nope", err)
	_, err = modern.With("evaluationTimeout", 50).V().Repeat(__.Both()).Until(__.Constant(1).Is(2)).Count().ToList()
	refused(598, "", err)
}

func variables() {
	client := client("g", "checks-in-go")
	in := func(text string) []any { return all(script(client, text)) }
	same([]any{int32(5)}, in("x = 5"))
	same([]any{int32(5)}, in("v = g.addV('a').property('n', x).next(); g.V(v).values('n')"))
	same(int64(0), count())
	in("g.tx().commit()")
	same(int64(1), count())
	in("g.V(v).drop()")
	in("g.tx().rollback()")
	same([]any{int32(5)}, in("g.V(v).values('n')"))
	in("g.addV('b')")
	client.Close()
	same(int64(1), count())
}

func commit() {
	tx := g.Tx()
	gtx, err := tx.Begin()
	must(err)
	ada := list(gtx.AddV("person").Property("name", "ada"))[0]
	done(gtx.V(ada).Property("age", 36))
	same([]any{int64(36)}, list(gtx.V(ada).Values("age")))
	same(int64(0), count())
	must(tx.Commit())
	same(false, tx.IsOpen())
	same([]any{map[any]any{"name": []any{"ada"}, "age": []any{int64(36)}}}, list(g.V().ValueMap()))
}

func rollback() {
	tx := g.Tx()
	gtx, err := tx.Begin()
	must(err)
	done(gtx.AddV("person"))
	must(tx.Rollback())
	same(int64(0), count())
}

func conflict() {
	done(g.AddV("counter").Property("n", 0))
	transactions := []*gremlin.Transaction{g.Tx(), g.Tx()}
	for _, tx := range transactions {
		gtx, err := tx.Begin()
		must(err)
		n := list(gtx.V().HasLabel("counter").Values("n"))[0].(int64)
		done(gtx.V().HasLabel("counter").Property("n", n+1))
	}
	must(transactions[0].Commit())
	refused(596, "begin again", transactions[1].Commit())
	same([]any{int64(1)}, list(g.V().Values("n")))
}
