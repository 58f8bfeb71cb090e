//! Reading bytecode and what only bytecode holds.

use gremlin::{
    Argument, Barrier, Cardinality, Column, Dt, GType, Lambda, Merge, Operator, Order, Pick, Pop, Scope,
    Strategy,
};
use serde_json::{Map as JsonMap, Value as Json};

use super::Location;
use super::reader::{Read, any, array, field, object, text, type_of, unexpected};
use super::scalar_reader::{integer, token};
use crate::bytecode::{self, Call};
use crate::error::Problem;
use crate::wire_value::simple_class_name;
use crate::{WireValue, predicate};

/// The part of a bytecode of that type; `None` if the type is another.
pub(super) fn part_of_bytecode(name: &str, json: &Json, at: &Location<'_>) -> Read<Option<WireValue>> {
    let argument = match name {
        "g:Bytecode" => return bytecode(json, at).map(Some),
        "g:Binding" => binding(json, at)?,
        "g:P" | "g:TextP" => predicate(json, at)?,
        "g:Lambda" => lambda(json, at)?,
        "g:Order" => Argument::Order(token("order", json, at, Order::from_name)?),
        "g:Pop" => Argument::Pop(token("pop", json, at, Pop::from_name)?),
        "g:Scope" => Argument::Scope(token("scope", json, at, Scope::from_name)?),
        "g:Column" => Argument::Column(token("column", json, at, Column::from_name)?),
        "g:Pick" => Argument::Pick(token("pick", json, at, Pick::from_name)?),
        "g:Operator" => Argument::Operator(token("operator", json, at, Operator::from_name)?),
        "g:Barrier" => Argument::Barrier(token("barrier", json, at, Barrier::from_name)?),
        "g:Cardinality" => Argument::Cardinality(token("cardinality", json, at, Cardinality::from_name)?),
        "g:Merge" => Argument::Merge(token("merge", json, at, Merge::from_name)?),
        "g:DT" => Argument::Dt(token("unit of time", json, at, Dt::from_name)?),
        "g:GType" => Argument::GType(token("type", json, at, GType::from_name)?),
        other => match json.as_object() {
            Some(o) if o.contains_key("fqcn") || other.ends_with("Strategy") => strategy(other, o, at)?,
            _ => return Ok(None),
        },
    };
    Ok(Some(WireValue::argument(argument)))
}

fn argument(json: &Json, at: &Location<'_>) -> Read<Argument> {
    any(json, at)?.into_argument().map_err(|problem| at.error(problem))
}

fn arguments(items: &[Json], at: &Location<'_>) -> Read<Vec<Argument>> {
    items.iter().enumerate().map(|(i, item)| argument(item, &at.index(i))).collect()
}

/// `{"source": [[name, argument…]…], "step": […]}`
fn bytecode(json: &Json, at: &Location<'_>) -> Read<WireValue> {
    let o = object(json, at)?;
    let source = calls(o.get("source"), &at.field("source"))?;
    let steps = calls(o.get("step"), &at.field("step"))?;
    bytecode::build(source, steps).map_err(|problem| at.error(problem))
}

fn calls(json: Option<&Json>, at: &Location<'_>) -> Read<Vec<Call>> {
    let Some(json) = json else { return Ok(Vec::new()) };
    let call = |(i, json): (usize, &Json)| {
        let at = &at.index(i);
        let items = array(json, at)?;
        let name = items.first().ok_or_else(|| unexpected("the name of an instruction", json, at))?;
        let name = text(name, &at.index(0))?.to_owned();
        // Arguments are counted from 1 in the path, as the name is item 0.
        let args = items.iter().enumerate().skip(1).map(|(i, item)| argument(item, &at.index(i)));
        Ok(Call { name, args: args.collect::<Read<_>>()? })
    };
    array(json, at)?.iter().enumerate().map(call).collect()
}

fn binding(json: &Json, at: &Location<'_>) -> Read<Argument> {
    let o = object(json, at)?;
    let key = text(field(o, "key"), &at.field("key"))?.into();
    Ok(Argument::Binding(key, Box::new(argument(field(o, "value"), &at.field("value"))?)))
}

fn predicate(json: &Json, at: &Location<'_>) -> Read<Argument> {
    let o = object(json, at)?;
    let name = text(field(o, "predicate"), &at.field("predicate"))?;
    let (json, inside) = (field(o, "value"), &at.field("value"));
    let operands = match name {
        "within" | "without" | "inside" | "outside" | "between" | "and" | "or" => several(json, inside)?,
        _ => vec![argument(json, inside)?],
    };
    predicate::build(name, operands).map(Argument::Predicate).map_err(|problem| at.error(problem))
}

/// The members of a list or set, or the one operand that is none.
fn several(json: &Json, at: &Location<'_>) -> Read<Vec<Argument>> {
    match json {
        Json::Array(items) => arguments(items, at),
        Json::Object(o) if matches!(type_of(o), Some("g:List" | "g:Set")) => {
            let inside = &at.field("@value");
            arguments(array(field(o, "@value"), inside)?, inside)
        }
        other => Ok(vec![argument(other, at)?]),
    }
}

fn lambda(json: &Json, at: &Location<'_>) -> Read<Argument> {
    let o = object(json, at)?;
    let part = |name: &str| text(field(o, name), &at.field(name));
    let arguments = match o.get("arguments") {
        Some(json) => integer(json, &at.field("arguments"))?,
        None => -1,
    };
    Ok(Argument::Lambda(Lambda {
        language: part("language")?.into(),
        script: part("script")?.into(),
        arguments,
    }))
}

/// `{"fqcn": …, "conf": {…}}`; without a class name the type names the strategy.
fn strategy(type_name: &str, o: &JsonMap<String, Json>, at: &Location<'_>) -> Read<Argument> {
    let class = match o.get("fqcn") {
        Some(json) => text(json, &at.field("fqcn"))?,
        None => type_name.rsplit(':').next().unwrap_or(type_name),
    };
    let mut configuration = Vec::new();
    match o.get("conf") {
        None | Some(Json::Null) => {}
        Some(Json::Object(settings)) => {
            let at = &at.field("conf");
            for (key, json) in settings {
                configuration.push((key.as_str().into(), argument(json, &at.field(key))?));
            }
        }
        Some(other) => return Err(unexpected("an object of settings", other, &at.field("conf"))),
    }
    if class.is_empty() {
        return Err(at.error(Problem::expected("the name of a strategy", "nothing")));
    }
    Ok(Argument::Strategy(Strategy { name: simple_class_name(class).into(), configuration }))
}
