//! What the columns of a Parquet file are: by their names, as in a header of CSV; the types that these do not say, the schema does.

use super::super::header::{Column, Header, HeaderError, split};
use super::super::neptune;
use super::super::scalar::ScalarType;
use super::schema::Field;
use crate::error::quoted;

/// What to say of a file of which no column says what it is.
const SAYS_NOTHING: &str = "no column says by its name what it is, so nobody knows whether the rows are vertices or edges; a name such \
                            as `id:ID`, `:LABEL` or `name:string`, or `:START_ID` and `:END_ID`, expected, or else a mapping \
                            (docs/import.md)";

/// What the columns are.
pub(super) fn header(fields: &[Field]) -> Result<Header, String> {
    let is_neptunes = fields.iter().any(|field| neptune::is_special(&field.name));
    let mut says_something = is_neptunes;
    let mut names = Vec::with_capacity(fields.len());
    for field in fields {
        let name = if is_neptunes {
            of_neptune(field)
        } else {
            let parts = split(&field.name).map_err(|error| error.to_string())?;
            says_something |= !parts.keyword.is_empty();
            of_neo4j(field)?
        };
        names.push(name);
    }
    if !says_something {
        return Err(SAYS_NOTHING.into());
    }
    let mut header = Header::parse(names).map_err(|error: HeaderError| error.to_string())?;
    for (field, column) in fields.iter().zip(&header.columns) {
        if *column != Column::Ignore {
            can_be_read(field, false)?;
        }
    }
    header.names = fields.iter().map(|field| field.name.clone()).collect();
    Ok(header)
}

/// Refuses a column that is nothing that can be read. Somebody else may have said that its bytes are texts.
pub(super) fn can_be_read(field: &Field, is_told: bool) -> Result<(), String> {
    let name = quoted(&field.name);
    match field.kind {
        Err(what) => Err(format!(
            "column {name} is {what}, which is not supported; leave it out, or call it `{}:IGNORE`",
            field.name
        )),
        Ok(_) if field.scalar().is_none() && !is_told && !field.name.contains([':', '~']) => Err(format!(
            "column {name} is of bytes, and says nothing of them; if they are texts, call it `{}:string`",
            field.name
        )),
        Ok(_) => Ok(()),
    }
}

/// What a column is called that says its type.
fn of_neo4j(field: &Field) -> Result<String, String> {
    let name = field.name.as_str();
    let parts = split(name).map_err(|error| error.to_string())?;
    let (rest, _) = name.strip_suffix("[]").map_or((name, false), |rest| (rest, true));
    let (head, options) = rest.split_at(rest.find('{').unwrap_or(rest.len()));
    let array = if parts.is_array || field.is_list { "[]" } else { "" };
    let has_type = parts.options.iter().any(|(option, _)| *option == "id-type");
    Ok(match (parts.keyword, field.scalar()) {
        ("", scalar) => {
            let head = head.strip_suffix(':').unwrap_or(head);
            format!("{head}:{}{options}{array}", scalar.unwrap_or(ScalarType::String).name())
        }
        ("ID", Some(scalar)) if !has_type && ScalarType::of_id(scalar.name()).is_some() => {
            let others = options.strip_prefix('{').unwrap_or("}");
            format!("{head}{{id-type:{};{others}", scalar.name())
        }
        ("ID" | "START_ID" | "END_ID" | "LABEL" | "TYPE" | "IGNORE", _) => name.to_owned(),
        _ => format!("{head}{options}{array}"),
    })
}

/// The same in Neptune's convention.
fn of_neptune(field: &Field) -> String {
    let name = field.name.as_str();
    if neptune::is_special(name) {
        return name.to_owned();
    }
    let array = if field.is_list { "[]" } else { "" };
    match (neptune::split(name), field.scalar()) {
        ((_, ""), scalar) => format!("{name}:{}{array}", scalar.unwrap_or(ScalarType::String).name()),
        ((_, kind), _) if field.is_list && !kind.contains("[]") => match name.rfind('(') {
            Some(at) => format!("{}[]{}", &name[..at], &name[at..]),
            None => format!("{name}[]"),
        },
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::schema::Kind;
    use super::*;

    fn field(name: &str, kind: Kind, is_list: bool) -> Field {
        Field { name: name.into(), kind: Ok(kind), is_list, leaf: 0 }
    }

    const LONG: Kind = Kind::Int { bits: 64, is_signed: true };

    #[test]
    fn what_a_name_does_not_say_the_schema_does() {
        for (name, kind, is_list, full) in [
            ("age", LONG, false, "age:long"),
            ("age:int", LONG, false, "age:int"),
            ("a:b:int", LONG, false, "a:b:int"),
            ("tags", Kind::Text, true, "tags:string[]"),
            ("tags[]", Kind::Text, false, "tags:string[]"),
            ("tags:string", Kind::Text, true, "tags:string[]"),
            ("when", Kind::Date, false, "when:datetime"),
            (":ID", LONG, false, ":ID{id-type:long;}"),
            ("id:ID(Space){label:Person}", LONG, false, "id:ID(Space){id-type:long;label:Person}"),
            (":ID{id-type:string}", LONG, false, ":ID{id-type:string}"),
            (":ID", Kind::Double, false, ":ID"),
            (":LABEL", Kind::Text, false, ":LABEL"),
            ("x:IGNORE", Kind::Bool, true, "x:IGNORE"),
        ] {
            assert_eq!(of_neo4j(&field(name, kind, is_list)).unwrap(), full);
        }
        for (name, kind, is_list, full) in [
            ("~id", LONG, false, "~id"),
            ("age", LONG, false, "age:long"),
            ("is\\:a", Kind::Bool, false, "is\\:a:boolean"),
            ("tags:String(set)", Kind::Text, true, "tags:String[](set)"),
            ("tags:String", Kind::Text, true, "tags:String[]"),
        ] {
            assert_eq!(of_neptune(&field(name, kind, is_list)), full);
        }
    }

    #[test]
    fn a_file_says_what_it_holds_and_no_column_holds_what_no_property_can() {
        let problem = |fields: &[Field]| header(fields).unwrap_err();
        assert!(
            problem(&[field("id", LONG, false), field("name", Kind::Text, false)])
                .contains("vertices or edges")
        );
        let map = || Field { kind: Err("a MAP"), ..field("m", LONG, false) };
        assert!(problem(&[field(":ID", LONG, false), map()]).contains("column \"m\" is a MAP"));
        let ignored = Field { name: "m:IGNORE".into(), ..map() };
        assert!(header(&[field(":ID", LONG, false), ignored]).is_ok());
        assert!(problem(&[field(":ID", LONG, false), field("b", Kind::Bytes, false)]).contains("`b:string`"));
        assert!(header(&[field(":ID", Kind::Bytes, false), field("b:string", Kind::Bytes, false)]).is_ok());
    }
}
