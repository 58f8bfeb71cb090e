"""What the tests share."""

import mangrove
import pytest

MODERN = """
g.addV('person').property(id, 1).property('name', 'marko').property('age', 29).as('marko')
 .addV('person').property(id, 2).property('name', 'vadas').property('age', 27).as('vadas')
 .addV('software').property(id, 3).property('name', 'lop').property('lang', 'java').as('lop')
 .addV('person').property(id, 4).property('name', 'josh').property('age', 32).as('josh')
 .addV('software').property(id, 5).property('name', 'ripple').property('lang', 'java').as('ripple')
 .addV('person').property(id, 6).property('name', 'peter').property('age', 35).as('peter')
 .addE('knows').from('marko').to('vadas').property('weight', 0.5d)
 .addE('knows').from('marko').to('josh').property('weight', 1.0d)
 .addE('created').from('marko').to('lop').property('weight', 0.4d)
 .addE('created').from('josh').to('ripple').property('weight', 1.0d)
 .addE('created').from('josh').to('lop').property('weight', 0.4d)
 .addE('created').from('peter').to('lop').property('weight', 0.2d)
"""

ENDLESS = "g.V().repeat(both()).until(constant(1).is(2)).count()"


@pytest.fixture
def db():
    """An empty graph in memory."""
    with mangrove.open(threads=2) as db:
        yield db


@pytest.fixture
def modern(db):
    """TinkerPop's smallest graph."""
    db.query(MODERN)
    return db
